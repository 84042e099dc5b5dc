package catalog

// A ServerStats compares what one server's tools cost in the catalog and declared one by one.
type ServerStats struct {
	Name        string // the group key; "" for the total of all
	Entries     int
	Shown       int // within the budget
	Tokens      int // estimated, of all entries whether shown or not
	ShownTokens int // estimated, of those shown
	FlatTokens  int // estimated, of {"name","description","input_schema"} as a provider's tool list has it
}

// Ratio is the catalog's price by that of flat declarations, 0 if there is nothing to declare.
func (s ServerStats) Ratio() float64 {
	if s.FlatTokens == 0 {
		return 0
	}
	return float64(s.Tokens) / float64(s.FlatTokens)
}

// Stats gives the figures of each server in catalog order, then of all together. Flat declarations carry no output
// schemas, the catalog does. Server lines and the search section, outside the budget, are in no figure.
func (p *Pool) Stats(o Options) (servers []ServerStats, total ServerStats) {
	groups := p.seats(o)
	shown := choose(groups, o.BudgetTokens)
	for i, g := range p.groups {
		s := ServerStats{Name: g.name, Entries: len(groups[i]), Shown: shown[i]}
		for j, seat := range groups[i] {
			s.Tokens += seat.cost
			if j < shown[i] {
				s.ShownTokens += seat.cost
			}
		}
		flat := 0
		for _, e := range g.entries {
			flat += units(e.tool.flat())
		}
		s.FlatTokens = tokens(flat)
		servers = append(servers, s)
		total.add(s)
	}
	return servers, total
}

func (s *ServerStats) add(t ServerStats) {
	s.Entries += t.Entries
	s.Shown += t.Shown
	s.Tokens += t.Tokens
	s.ShownTokens += t.ShownTokens
	s.FlatTokens += t.FlatTokens
}

// flat is the declaration that the catalog spares, without blanks.
func (t Tool) flat() string {
	schema := "null"
	if n, err := parse(t.InputSchema); err == nil {
		schema = n.json()
	}
	return `{"name":` + quote(t.Name) + `,"description":` + quote(t.Description) + `,"input_schema":` + schema + "}"
}
