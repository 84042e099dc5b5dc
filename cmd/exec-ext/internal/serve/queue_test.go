package serve

import (
	"context"
	"testing"
)

func started(t *ticket) bool {
	select {
	case <-t.started:
		return true
	default:
		return false
	}
}

func TestQueue_OneAtATimePerSession(t *testing.T) {
	q := newQueue()
	q.setMax(2)
	a1, a2, b1, c1 := q.enter("a", false), q.enter("a", false), q.enter("b", false), q.enter("c", false)
	if !started(a1) || !started(b1) {
		t.Fatal("the heads of two sessions do not run side by side")
	}
	if started(a2) || started(c1) {
		t.Fatal("a second run of the session, or a third of all, runs")
	}
	a1.leave()
	if !started(c1) || started(a2) {
		t.Fatal("the slot went to the younger head")
	}
	b1.leave()
	if !started(a2) {
		t.Fatal("the next of the session does not run")
	}
	a2.leave()
	c1.leave()
	if running, waiting := q.counts(); running != 0 || waiting != 0 || len(q.lanes) != 0 || q.used != 0 {
		t.Errorf("left over: %d running, %d waiting, %d lanes, %d slots", running, waiting, len(q.lanes), q.used)
	}
}

func TestQueue_EightWaitBesideTheRunningOne(t *testing.T) {
	q := newQueue()
	var all []*ticket
	for range 9 {
		all = append(all, q.enter("a", false))
	}
	if all[8] == nil || q.enter("a", false) != nil {
		t.Fatal("not exactly eight may wait")
	}
	all[4].leave() // one that waits gives up
	if started(all[1]) {
		t.Fatal("a waiting run that left started another")
	}
	if q.enter("a", false) == nil {
		t.Fatal("the place of the one that left is not free")
	}
}

func TestQueue_ChildOfAnotherSessionTakesNoSlot(t *testing.T) {
	q := newQueue()
	parent, child := q.enter("a", false), q.enter("b", true)
	if !started(parent) || !started(child) {
		t.Fatal("the child waits for the slot of its parent")
	}
	child.leave()
	if q.used != 1 {
		t.Errorf("%d slots in use, want 1", q.used)
	}
}

// The parent holds the only slot and waits for its child, which stands behind runs of its own session.
func TestQueue_ChildBehindRunsThatWaitForTheSlotOfItsParent(t *testing.T) {
	q := newQueue()
	parent := q.enter("a", false)
	first, second := q.enter("b", false), q.enter("b", false)
	if started(first) {
		t.Fatal("two slots")
	}
	child := q.enter("b", true)
	for i, ticket := range []*ticket{first, second, child} {
		if !started(ticket) {
			t.Fatalf("run %d of the session does not start", i+1)
		}
		ticket.leave()
	}
	parent.leave()
	if q.used != 0 || len(q.pending) != 0 || len(q.lanes) != 0 {
		t.Errorf("left over: %d slots, %d pending, %d lanes", q.used, len(q.pending), len(q.lanes))
	}
}

func TestQueue_WaitEndsWithItsContext(t *testing.T) {
	q := newQueue()
	q.enter("a", false)
	second := q.enter("a", false)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if second.wait(ctx) == nil {
		t.Fatal("a run that does not start has waited")
	}
	second.leave()
}

func TestRunTable(t *testing.T) {
	table := newRunTable()
	a, _ := table.begin(runKey{"s", "a"}, "")
	if _, ok := table.begin(runKey{"s", "a"}, ""); ok {
		t.Error("two live runs with one id in a session")
	}
	if _, ok := table.begin(runKey{"other", "a"}, ""); !ok {
		t.Error("the id of another session's run is taken")
	}
	child, _ := table.begin(runKey{"sub", "b"}, "a")
	grandchild, _ := table.begin(runKey{"s", "c"}, "b")
	if child.reentrant || !grandchild.reentrant {
		t.Error("a run is reentrant exactly if an ancestor is of its session")
	}
	table.cancel("s", "", "enough")
	if a.ctx.Err() == nil || grandchild.ctx.Err() == nil || child.ctx.Err() != nil {
		t.Error("cancelling a session ends its runs and no other")
	}
	table.end(a)
	if _, ok := table.begin(runKey{"s", "a"}, ""); !ok {
		t.Error("the id of an ended run cannot be used again")
	}
}

// Sessions may use the same ids. Then a child's parent is any of them, and a grandchild that may wait for itself is
// told so at once, whichever it is.
func TestRunTable_ParentsWithOneID(t *testing.T) {
	for range 50 {
		table := newRunTable()
		var parents []*run
		for _, session := range []string{"s", "t", "u", "v"} {
			r, _ := table.begin(runKey{session, "a"}, "")
			parents = append(parents, r)
		}
		child, _ := table.begin(runKey{"sub", "b"}, "a")
		grandchild, _ := table.begin(runKey{"s", "c"}, "b")
		if child.reentrant || !grandchild.reentrant {
			t.Fatal("an ancestor with an id that several sessions use was overlooked")
		}
		table.end(parents[0])
		table.end(grandchild)
		if again, _ := table.begin(runKey{"s", "c"}, "b"); again.reentrant {
			t.Fatal("an ancestor that has ended counts")
		}
		table.end(child)
		if child.parents != nil {
			t.Fatal("an ended run keeps its ancestors")
		}
	}
}
