package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// heads finds where the entries of a text begin; the search entry is none.
var heads = regexp.MustCompile(`(?m)^tools(?:\.([\p{L}\w$]+)|\[("(?:[^"\\]|\\.)*")\])\(`)

// shownIn lists the tools of a text in their order.
func shownIn(t interface{ Fatal(...any) }, text string) []string {
	var names []string
	for _, m := range heads.FindAllStringSubmatch(text, -1) {
		name := m[1]
		if m[2] != "" {
			if err := json.Unmarshal([]byte(m[2]), &name); err != nil {
				t.Fatal(err)
			}
		}
		names = append(names, name)
	}
	return names
}

// wholeSample is a pool of all servers of the sample.
func wholeSample(t testing.TB) []json.RawMessage {
	var tools []json.RawMessage
	for _, s := range sample(t) {
		tools = append(tools, s.raw()...)
	}
	return tools
}

// TestS5_5_SeatsAtEveryBudget holds what is true of every budget: something is shown, it costs no more than the
// budget, each server shows a beginning of its order, and nobody sits twice while another's first still fitted.
func TestS5_5_SeatsAtEveryBudget(t *testing.T) {
	p, _ := NewPool(Snapshot{Tools: wholeSample(t)})
	groups := p.seats(defaults)
	total := 0
	for _, g := range groups {
		for _, s := range g {
			total += s.cost
		}
	}
	for budget := 0; budget <= total+1; budget += 1 + budget/50 {
		holdBudget(t, p, groups, min(budget, total))
	}
	holdBudget(t, p, groups, total)
	if l := p.Render(Options{BudgetTokens: total, Depth: 8, DescriptionChars: 120}); l.Truncated {
		t.Error("the pool's own cost does not hold the pool")
	}
	if l := p.Render(Options{BudgetTokens: total - 1, Depth: 8, DescriptionChars: 120}); !l.Truncated {
		t.Error("one token less holds the pool too")
	}
}

func holdBudget(t *testing.T, p *Pool, groups [][]seat, budget int) {
	o := defaults
	o.BudgetTokens = budget
	l := p.Render(o)
	shown := shownIn(t, l.Text)
	var want []string
	spent, sum := 0, 0
	for i, s := range l.Servers {
		if s.Name != p.groups[i].name || s.Total != len(groups[i]) || s.Shown > s.Total {
			t.Errorf("budget %d: server %+v", budget, s)
		}
		for _, seat := range groups[i][:s.Shown] {
			want = append(want, seat.name)
			spent += seat.cost
		}
		sum += s.Shown
	}
	if !slices.Equal(shown, want) {
		t.Errorf("budget %d: shown %v, want %v", budget, shown, want)
	}
	if sum != l.Shown || l.Total != p.Len() || l.Shown < 1 || l.Truncated != (l.Shown < l.Total) {
		t.Errorf("budget %d: %d shown of %d, servers say %d", budget, l.Shown, l.Total, sum)
	}
	if spent > budget && l.Shown > 1 {
		t.Errorf("budget %d: spent %d", budget, spent)
	}
	holdTurns(t, groups, l, budget)
}

// holdTurns replays the seats of one to the last round: a group without its next seat in a round had none that fitted.
func holdTurns(t *testing.T, groups [][]seat, l Listing, budget int) {
	if l.Shown == 1 && budget < groups[0][0].cost {
		return // the one kept whatever it costs
	}
	left := budget
	for round := 0; ; round++ {
		more := false
		for i, g := range groups {
			switch shown := l.Servers[i].Shown; {
			case round < shown:
				left -= g[round].cost
				more = true
			case round == shown && shown < len(g) && g[round].cost <= left:
				t.Errorf("budget %d, round %d: %s would have fitted", budget, round, g[round].name)
			}
		}
		if !more {
			return
		}
	}
}

// TestS5_8_SameBytes shuffles the pool, in this process and another: the text stays, and its digest is its own.
func TestS5_8_SameBytes(t *testing.T) {
	tools := wholeSample(t)
	texts := map[string]bool{}
	for seed := range uint64(20) {
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(tools), func(i, j int) { tools[i], tools[j] = tools[j], tools[i] })
		p, _ := NewPool(Snapshot{Tools: tools})
		for _, budget := range []int{0, 300, 2000, 1 << 30} {
			l := p.Render(Options{BudgetTokens: budget, Depth: 8, DescriptionChars: 120})
			sum := sha256.Sum256([]byte(l.Text))
			if l.Digest != hex.EncodeToString(sum[:]) {
				t.Fatalf("digest %s", l.Digest)
			}
			texts[l.Text] = true
		}
	}
	if len(texts) != 4 {
		t.Errorf("%d texts for four budgets", len(texts))
	}
	if os.Getenv("CATALOG_DIGEST") != "" {
		for text := range texts {
			fmt.Println("digest", sha256.Sum256([]byte(text)))
		}
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(self, "-test.run", "^TestS5_8_SameBytes$", "-test.v")
	child.Env = append(os.Environ(), "CATALOG_DIGEST=1")
	out, err := child.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for text := range texts {
		if want := fmt.Sprintln("digest", sha256.Sum256([]byte(text))); !strings.Contains(string(out), want) {
			t.Errorf("another process has no text with %s", want)
		}
	}
}

// TestS5_8_ReuseChangesNoAnswer goes from pool to pool by small changes, with and without what was rendered before.
func TestS5_8_ReuseChangesNoAnswer(t *testing.T) {
	all := wholeSample(t)
	rapid.Check(t, func(t *rapid.T) {
		var last *Pool
		for range rapid.IntRange(1, 6).Draw(t, "changes") {
			tools := slices.Clone(rapid.SliceOfN(rapid.SampledFrom(all), 0, 12).Draw(t, "tools"))
			for i := range tools {
				if rapid.Bool().Draw(t, "edited") {
					tools[i] = json.RawMessage(strings.Replace(string(tools[i]), `"description":"`, `"description":"v `, 1))
				}
			}
			o := Options{
				BudgetTokens: rapid.SampledFrom([]int{0, 100, 1 << 20}).Draw(t, "budget"), Depth: rapid.IntRange(1, 9).Draw(t, "depth"),
				DescriptionChars: rapid.SampledFrom([]int{4, 20, 120}).Draw(t, "width"),
			}
			next, w1 := NewPool(Snapshot{Tools: tools, Reuse: last})
			fresh, w2 := NewPool(Snapshot{Tools: tools})
			if a, b := next.Render(o), fresh.Render(o); a.Text != b.Text || a.Digest != b.Digest || !slices.Equal(a.Servers, b.Servers) {
				t.Fatalf("reused:\n%s\nfresh:\n%s", a.Text, b.Text)
			}
			input := json.RawMessage(`{"query":"a e book"}`)
			h1, n1, _ := next.Search(input, o)
			h2, n2, _ := fresh.Search(input, o)
			if !slices.Equal(h1, h2) || n1 != n2 || !slices.Equal(w1, w2) || !slices.Equal(next.Names(), fresh.Names()) {
				t.Fatal("search, warnings or names differ")
			}
			last = next
		}
	})
}

// TestS5_8_ReuseRendersOnlyWhatChanged finds the entries of equal tools shared, and the changed one not.
func TestS5_8_ReuseRendersOnlyWhatChanged(t *testing.T) {
	tools := generated(300, 3)
	first, _ := NewPool(Snapshot{Tools: tools})
	first.Render(defaults)
	changed := slices.Clone(tools)
	changed[150] = json.RawMessage(strings.Replace(string(tools[150]), `"type":"object"`, `"type":"object","title":"new"`, 1))
	slices.Reverse(changed)
	second, _ := NewPool(Snapshot{Tools: changed, Reuse: first})
	fresh := 0
	for e := range second.all() {
		if e.made == nil {
			fresh++
		}
	}
	if fresh != 1 {
		t.Errorf("%d tools are to be rendered anew, want 1", fresh)
	}
}
