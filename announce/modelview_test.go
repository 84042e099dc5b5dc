package announce

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/exec-ext/exec-ext/catalog"
)

// The model-view property: whatever happens to a conversation, what a model can know of the pool from the messages
// still in it is the pool of now. The reader below stands for the model: it reads texts and never looks at a marker.

// A message is one of ours in the conversation.
type message struct {
	kind   string
	text   string // as it was appended
	body   string // without its marker line: what the model reads
	handed string // as the host passes it in history
	base   string // body of the full catalog that a difference was written for
	now    string // body of the full catalog in force when it was written
}

var (
	summaryLine = regexp.MustCompile(`(?m)^- mcp__(\S+) \((\d+) tools?(?:, \w+ shown)?\)$`)
	changeLine  = regexp.MustCompile(`(?m)^- mcp__(\S+) \((?:(\d+) tools?, (?:new|before: \d+)|gone)\)$`)
)

func bodyOf(text string) string { return text[:strings.LastIndex(text, "\n")] }

// countsIn reads what a catalog or a difference says of servers.
func countsIn(kind, body string) map[string]int {
	lines := summaryLine
	if kind == kindDiff {
		lines = changeLine
	}
	counts := map[string]int{}
	for _, found := range lines.FindAllStringSubmatch(body, -1) {
		counts[found[1]], _ = strconv.Atoi(found[2])
	}
	return counts
}

// A view is what a model knows after reading the messages from the first to the last.
type view struct {
	kind string   // of the newest message that stands alone; "" = none
	full *message // the catalog, if kind is full
	diff *message // the newest difference, nil = none
	lost bool     // the full catalog that diff was written for is not the one before it
}

func understand(messages []*message) view {
	var v view
	for _, m := range messages {
		switch m.kind {
		case kindFull:
			v = view{kind: kindFull, full: m}
		case kindDiff:
			v.diff, v.lost = m, v.full == nil || v.full.body != m.base
		default:
			v = view{kind: m.kind}
		}
	}
	return v
}

// counts are the tools by server as a partial catalog and the newest difference tell them.
func (v view) counts() map[string]int {
	counts := countsIn(kindFull, v.full.body)
	maps.Copy(counts, countsIn(kindDiff, v.diff.body))
	maps.DeleteFunc(counts, func(_ string, n int) bool { return n == 0 })
	return counts
}

// A session is one conversation under test, with everything a request depends on.
type session struct {
	random   *rand.Rand
	pools    [][]*catalog.Pool // the same for each of the budgets, since a pool keeps its latest rendering only
	pool     int
	budget   int
	now      Situation // without history
	handling string
	messages []*message
	requests []int // how many messages there were after each request: what a rewind goes back to
	quiet    bool  // nothing happened since the last request
	log      []string
}

var budgets = []catalog.Options{
	{BudgetTokens: 150, Depth: 8, DescriptionChars: 120},
	{BudgetTokens: 100_000, Depth: 8, DescriptionChars: 120},
}

func newSession(seed uint64, pools [][]*catalog.Pool) *session {
	s := &session{random: rand.New(rand.NewPCG(seed, 0)), pools: pools}
	s.now = Situation{HostCanCall: true, Enabled: true, ChannelOpen: true}
	s.usePool(s.random.IntN(len(pools[0])), s.random.IntN(4)/3)
	s.restart()
	return s
}

func (s *session) note(format string, args ...any) {
	s.log = append(s.log, fmt.Sprintf(format, args...))
}

func (s *session) usePool(pool, budget int) {
	s.pool, s.budget = pool, budget
	s.now.Pool, s.now.Render = s.pools[budget][pool], budgets[budget]
	s.note("pool %d, budget %d", pool, budgets[budget].BudgetTokens)
}

// restart begins a new process, and lets the host pass all its texts in another way from now on.
func (s *session) restart() {
	names := slices.Sorted(maps.Keys(handlings))
	s.handling = names[s.random.IntN(len(names))]
	s.note("restart; texts are passed %q", s.handling)
	for _, m := range s.messages {
		m.handed = handlings[s.handling](m.text)
	}
}

// event changes the pool, the rules, the config, the host or the conversation.
func (s *session) event() {
	quiet := s.quiet
	s.quiet = false
	mostly := func(name string, b *bool) { *b = s.random.IntN(4) > 0; s.note("%s: %v", name, *b) }
	switch s.random.IntN(16) {
	default:
		s.usePool(s.random.IntN(len(s.pools[0])), s.budget)
	case 5:
		s.now.Pool = nil
		s.note("pool unavailable")
	case 6:
		s.usePool(s.pool, 1-s.budget)
	case 7:
		mostly("enabled", &s.now.Enabled)
	case 8:
		s.now.Exec = []ExecState{ExecOn, ExecOn, ExecDenied, ExecExcluded, ExecNotRegistered}[s.random.IntN(5)]
		s.note("exec %s", s.now.Exec)
	case 9:
		mostly("channel", &s.now.ChannelOpen)
	case 10:
		mostly("host can call", &s.now.HostCanCall)
	case 11:
		s.compact(func(int) bool { return s.random.IntN(3) == 0 })
	case 12:
		one := s.random.IntN(len(s.messages) + 1)
		s.compact(func(i int) bool { return i == one })
	case 13:
		if n := len(s.requests); n > 0 {
			i := s.random.IntN(n)
			s.messages, s.requests = s.messages[:s.requests[i]:s.requests[i]], s.requests[:i]
			s.note("rewound to %d messages", len(s.messages))
		}
	case 14:
		s.restart()
	case 15:
		s.quiet = quiet
		s.note("nothing")
	}
}

func (s *session) compact(remove func(i int) bool) {
	var kept []*message
	for i, m := range s.messages {
		if !remove(i) {
			kept = append(kept, m)
		}
	}
	s.note("compacted from %d to %d messages", len(s.messages), len(kept))
	s.messages, s.requests = kept, nil
}

// history is what the host passes: our texts and others of its own.
func (s *session) history() []string {
	texts := []string{`Be brief. <!-- mcp-instructions {"v":1,"kind":"retired","servers":{}} -->`}
	for _, m := range s.messages {
		texts = append(texts, m.handed)
	}
	return texts
}

// request prepares a turn and checks what came of it.
func (s *session) request() (Plan, error) {
	situation := s.now
	situation.History = s.history()
	plan := Prepare(situation)
	s.note("request: %s/%s, %s %s because %s", plan.Mode, plan.Reason, plan.Announcement.Action, plan.Announcement.Kind, plan.Announcement.Reason)
	if err := s.checkPlan(plan); err != nil {
		return plan, err
	}
	if a := plan.Announcement; a.Action == "append" {
		s.append(plan)
		situation.History = s.history()
		if again := Prepare(situation).Announcement; again.Action != "none" {
			return plan, fmt.Errorf("asked again at once: %s because %s", again.Kind, again.Reason)
		}
	}
	s.requests = append(s.requests, len(s.messages))
	s.quiet = true
	return plan, s.checkView(plan)
}

func (s *session) append(plan Plan) {
	base, now := "", ""
	if plan.Mode == modeExec {
		now = s.now.Pool.Render(s.now.Render).Text
	}
	for _, m := range s.messages {
		if m.kind == kindFull {
			base = m.body
		}
	}
	text := plan.Announcement.Text
	s.messages = append(s.messages, &message{kind: plan.Announcement.Kind, text: text, base: base, now: now,
		body: bodyOf(text), handed: handlings[s.handling](text)})
}

// checkPlan: the declaration follows from the pool of now, the tool is named only where it is declared, and nothing
// is said without cause.
func (s *session) checkPlan(plan Plan) error {
	a := plan.Announcement
	off := !s.now.HostCanCall || !s.now.Enabled || s.now.Exec != ExecOn && s.now.Exec != ""
	var declare []string
	switch {
	case s.now.Pool == nil:
	case off:
		declare = s.now.Pool.Names()
	case s.now.Pool.Len() > 0:
		declare = []string{"Exec"}
	}
	if !slices.Equal(declare, plan.Declare) || (plan.Declare == nil) != (s.now.Pool == nil) {
		return fmt.Errorf("tools[] gets %q, want %q", plan.Declare, declare)
	}
	if a.Action == "none" {
		return nil
	}
	switch n := len(s.messages); {
	case s.quiet:
		return fmt.Errorf("something is said although nothing happened")
	case !s.now.ChannelOpen || s.now.Pool == nil && !off:
		return fmt.Errorf("something is said where nothing may be")
	case n > 0 && s.messages[n-1].body == bodyOf(a.Text):
		return fmt.Errorf("the newest message is repeated")
	case !slices.Equal(plan.Declare, []string{"Exec"}) && strings.Contains(a.Text, "Exec"):
		return fmt.Errorf("Exec is named and not declared")
	case strings.Contains(a.Marker.line(), "Exec"):
		return fmt.Errorf("the marker names Exec")
	}
	return nil
}

// checkView: what the model knows is the pool of now. A closed channel or an unavailable pool tells nothing.
func (s *session) checkView(plan Plan) error {
	v := understand(s.messages)
	switch {
	case !s.now.ChannelOpen || plan.Reason == reasonUnavailable:
		return nil
	case v.lost:
		return fmt.Errorf("a difference stands without its base")
	case plan.Mode == modeFlat && v.kind != "" && v.kind != kindRetired,
		plan.Mode == modeNone && v.kind == kindFull:
		return fmt.Errorf("the model still goes by a message of kind %q", v.kind)
	case plan.Mode != modeExec:
		return nil
	case v.kind != kindFull:
		return fmt.Errorf("the model has no catalog")
	}
	now := s.now.Pool.Render(s.now.Render)
	if v.diff == nil {
		if v.full.body != now.Text {
			return fmt.Errorf("the model reads another catalog than the one of now")
		}
		return nil
	}
	if !now.Truncated || v.diff.now != now.Text {
		return fmt.Errorf("the difference was written for another catalog than the one of now")
	}
	if len(v.diff.body) >= len(now.Text) {
		return fmt.Errorf("a difference of %d for a catalog of %d", len(v.diff.body), len(now.Text))
	}
	if len(countsIn(kindDiff, v.diff.body)) == 0 {
		return fmt.Errorf("the difference states none")
	}
	if want := counts(now); !maps.Equal(v.counts(), want) {
		return fmt.Errorf("the model counts %v, there are %v", v.counts(), want)
	}
	return nil
}

func TestS6_N5_E13_ModelView(t *testing.T) {
	sequences := uint64(100_000)
	if testing.Short() {
		sequences = 5_000
	}
	pools := [][]*catalog.Pool{smallPools(t), smallPools(t)}
	seen := map[string]int{}
	for seed := range sequences {
		s := newSession(seed, pools)
		for range 2 + s.random.IntN(9) {
			plan, err := s.request()
			if err != nil {
				t.Fatalf("sequence %d: %v\n%s", seed, err, strings.Join(s.log, "\n"))
			}
			seen[plan.Announcement.Reason]++
			for range 1 + s.random.IntN(2) {
				s.event()
			}
		}
	}
	for _, r := range rows() {
		if seen[r.reason] < 10 {
			t.Errorf("the row %s decided %d times", r.reason, seen[r.reason])
		}
	}
	t.Log(seen)
}
