package hostapi

import "strings"

// Nearest gives the known name that a misspelt member most likely means, "" if there is none: letter case aside, about a
// third of its characters may be missing, added, wrong or swapped with their neighbour.
func Nearest(name string, known []string) string {
	best, fewest := "", max(1, len(name)/3)+1
	for _, k := range known {
		if n := edits(strings.ToLower(name), strings.ToLower(k)); n < fewest {
			best, fewest = k, n
		}
	}
	return best
}

// edits counts the changes that make b of a.
func edits(a, b string) int {
	before, last, row := []int(nil), make([]int, len(b)+1), []int(nil)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row = append(make([]int, 0, len(b)+1), i+1)
		for j := range len(b) {
			wrong := 1
			if a[i] == b[j] {
				wrong = 0
			}
			n := min(last[j]+wrong, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				n = min(n, before[j-1]+1)
			}
			row = append(row, n)
		}
		before, last = last, row
	}
	return last[len(b)]
}
