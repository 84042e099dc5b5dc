// Command release builds everything that a release of exec-ext consists of, the same bytes from the same sources:
// archives, npm packages and wheels for every platform, a plugin manifest, checksums, an SBOM and the licences of what
// is linked in. Run it in the project's folder:
//
//	go run ./packaging/release [--out dist] [--version V]
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	var o Options
	var targets string
	flag.StringVar(&o.Root, "root", ".", "the project's folder")
	flag.StringVar(&o.Out, "out", "dist", "where the files go; what is there is overwritten")
	flag.StringVar(&o.Version, "version", "", "the version, as in 1.2.3 or 1.2.3-rc.1; default: the npm package's")
	flag.StringVar(&targets, "targets", "", "only these, as in linux/amd64,windows/arm64; default: all")
	flag.StringVar(&o.NodeModules, "node-modules", "", "a folder with what packaging/npm/package-lock.json pins; default: npm ci in a temporary one")
	flag.Parse()
	if targets != "" {
		o.Targets = strings.Split(targets, ",")
	}
	o.Log = os.Stderr
	if err := Release(o); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}
