package catalog

import (
	"bytes"
	"fmt"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

// parseOnce reads JSON from stdin and prints the least time of several JSON.parse calls, in ms.
const parseOnce = `const text = require("fs").readFileSync(0, "utf8");
let least = Infinity;
for (let i = 0; i < 7; i++) {
	const start = process.hrtime.bigint();
	JSON.parse(text);
	least = Math.min(least, Number(process.hrtime.bigint() - start) / 1e6);
}
console.log(least);`

// BenchmarkColdByNode gives the time from raw JSON to the catalog's text by the time of one JSON.parse of the same
// bytes in Node, each the least of several taken in turn.
func BenchmarkColdByNode(b *testing.B) {
	node, err := exec.LookPath("node")
	if err != nil {
		b.Skip("there is no node here")
	}
	for _, n := range sizes {
		tools := generated(n, 1)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			raw := make([][]byte, len(tools))
			for i, t := range tools {
				raw[i] = t
			}
			text := append(append([]byte("["), bytes.Join(raw, []byte(","))...), ']')
			ours, theirs := time.Hour, time.Hour
			for b.Loop() {
				theirs = min(theirs, nodeParse(b, node, text))
				for range 5 {
					start := time.Now()
					p, _ := NewPool(Snapshot{Tools: tools})
					p.Render(everything)
					ours = min(ours, time.Since(start))
				}
			}
			b.ReportMetric(float64(ours.Microseconds())/1000, "ms")
			b.ReportMetric(float64(theirs.Microseconds())/1000, "node-ms")
			b.ReportMetric(float64(ours)/float64(theirs), "ratio")
		})
	}
}

func nodeParse(b *testing.B, node string, text []byte) time.Duration {
	cmd := exec.Command(node, "-e", parseOnce)
	cmd.Stdin = bytes.NewReader(text)
	out, err := cmd.Output()
	if err != nil {
		b.Fatal(err)
	}
	ms, err := strconv.ParseFloat(string(bytes.TrimSpace(out)), 64)
	if err != nil {
		b.Fatal(err)
	}
	return time.Duration(ms * float64(time.Millisecond))
}
