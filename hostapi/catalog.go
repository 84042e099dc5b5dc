package hostapi

import "encoding/json"

// CatalogRenderParams asks for the catalog text.
type CatalogRenderParams struct {
	SessionID    string        `json:"sessionId"`
	Pool         *PoolSnapshot `json:"pool,omitempty"`
	BudgetTokens *int          `json:"budgetTokens,omitempty"`
}

// CatalogRenderResult is the catalog without marker line.
type CatalogRenderResult struct {
	Text            string        `json:"text"`
	Digest          string        `json:"digest"`
	Truncated       bool          `json:"truncated"`
	Shown           int           `json:"shown"`
	Total           int           `json:"total"`
	Servers         []ServerCount `json:"servers"`
	EstimatedTokens int           `json:"estimatedTokens"`
}

// ServerCount is one group of the catalog.
type ServerCount struct {
	Name  string `json:"name"`
	Total int    `json:"total"`
	Shown int    `json:"shown"`
}

// CatalogSearchParams searches the whole pool.
type CatalogSearchParams struct {
	SessionID string          `json:"sessionId"`
	Pool      *PoolSnapshot   `json:"pool,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
}

// CatalogSearchResult lists the hits in order.
type CatalogSearchResult struct {
	Items []SearchItem `json:"items"`
}

// SearchItem is one hit.
type SearchItem struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Signature   string `json:"signature"`
}
