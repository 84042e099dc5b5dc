package hostapi

import "strings"

// Nearest gives the known name that a misspelt member most likely means, "" if there is none: letter case aside, about a
// third of its characters may be missing, added, wrong or swapped with their neighbour, or it may be short for the name,
// as cmd is for command. Of several that are as near the first one counts.
func Nearest(name string, known []string) string {
	best, fewest := "", max(1, len(name)/3)+1
	for _, k := range known {
		n := fewest
		if len(name)-len(k) < fewest && len(k)-len(name) < fewest { // else it takes more
			n = edits(strings.ToLower(name), strings.ToLower(k))
		}
		if shortFor(strings.ToLower(name), strings.ToLower(k)) {
			n = min(n, 1)
		}
		if n < fewest {
			best, fewest = k, n
		}
	}
	return best
}

// shortFor tells whether a name of some characters is another one with the same beginning and end, some left out.
func shortFor(name, long string) bool {
	const least = 3
	if len(name) < least || !strings.HasPrefix(long, name[:1]) || !strings.HasSuffix(long, name[len(name)-1:]) {
		return false
	}
	for i := range len(long) {
		if name != "" && name[0] == long[i] {
			name = name[1:]
		}
	}
	return name == ""
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
