package refhost

import (
	"bytes"
	"crypto/rand"
	"sync"

	"github.com/exec-ext/exec-ext/hostapi"
)

// grants are permissions given and not used yet, in the permission mode "separate". Each is good for one call with
// exactly the bytes it was given for.
type grants struct {
	mu   sync.Mutex
	open map[string]hostapi.HostPermissionParams // guarded by mu
}

func newGrants() *grants { return &grants{open: map[string]hostapi.HostPermissionParams{}} }

// give makes a grant.
func (g *grants) give(p hostapi.HostPermissionParams) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	token := rand.Text()
	g.open[token] = p
	return token
}

// use takes the grant away, whether it fits or not, and tells whether it fits.
func (g *grants) use(p hostapi.HostCallToolParams) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	given, ok := g.open[p.Grant]
	delete(g.open, p.Grant)
	return ok && given.SessionID == p.SessionID && given.RunID == p.RunID && given.CallID == p.CallID &&
		given.Index == p.Index && given.Name == p.Name && bytes.Equal(given.Arguments, p.Arguments)
}
