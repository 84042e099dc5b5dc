package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// The part of CycloneDX 1.6 that a list of linked modules needs.
type (
	bom struct {
		Schema       string          `json:"$schema"`
		Format       string          `json:"bomFormat"`
		SpecVersion  string          `json:"specVersion"`
		SerialNumber string          `json:"serialNumber"`
		Version      int             `json:"version"`
		Metadata     bomMetadata     `json:"metadata"`
		Components   []bomComponent  `json:"components"`
		Dependencies []bomDependency `json:"dependencies"`
	}
	bomMetadata struct {
		Component bomComponent `json:"component"`
	}
	bomComponent struct {
		Type     string       `json:"type"`
		Ref      string       `json:"bom-ref"`
		Name     string       `json:"name"`
		Version  string       `json:"version"`
		PURL     string       `json:"purl"`
		Licenses []bomLicence `json:"licenses"`
	}
	bomLicence struct {
		License struct {
			ID string `json:"id"`
		} `json:"license"`
	}
	bomDependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn"`
	}
)

// sbom lists what is linked into the programs and bundled into the npm package. It has no time, and its serial number
// follows from its content: the same release has the same list.
func (b *build) sbom() error {
	self := component("application", "exec-ext", b.version, "pkg:golang/github.com/exec-ext/exec-ext@v"+b.version, "Apache-2.0")
	list := bom{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", SpecVersion: "1.6", Version: 1,
		Metadata: bomMetadata{self},
	}
	for _, m := range b.modules {
		list.Components = append(list.Components, component("library", m.Path, m.Version, "pkg:golang/"+m.Path+"@"+m.Version, m.licence))
	}
	bundled, err := b.bundledComponents()
	if err != nil {
		return err
	}
	list.Components = append(list.Components, bundled...)
	needs := bomDependency{Ref: self.Ref}
	for _, c := range list.Components {
		needs.DependsOn = append(needs.DependsOn, c.Ref)
	}
	list.Dependencies = []bomDependency{needs}
	content, err := json.Marshal(list)
	if err != nil {
		return err
	}
	list.SerialNumber = contentUUID(content)
	return b.writeJSON("exec-ext.cdx.json", list)
}

func component(kind, name, version, purl, licence string) bomComponent {
	c := bomComponent{Type: kind, Ref: purl, Name: name, Version: version, PURL: purl, Licenses: make([]bomLicence, 1)}
	c.Licenses[0].License.ID = licence
	return c
}

// bundledComponents are the run-time dependencies of the npm package, from its lock file.
func (b *build) bundledComponents() ([]bomComponent, error) {
	data, err := os.ReadFile(b.path("packaging/npm/package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version      string
			License      string
			Dependencies map[string]string
		}
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		return nil, err
	}
	names := []string{}
	for name := range lock.Packages[""].Dependencies {
		names = append(names, name)
	}
	slices.Sort(names)
	out := []bomComponent{}
	for _, name := range names {
		p := lock.Packages["node_modules/"+name]
		if len(p.Dependencies) > 0 {
			return nil, fmt.Errorf("%s has dependencies of its own: bundle and list them too", name)
		}
		out = append(out, component("library", name, p.Version, "pkg:npm/"+name+"@"+p.Version, p.License))
	}
	return out, nil
}

// contentUUID is a UUID (version 8: the maker's own kind) made of a digest.
func contentUUID(content []byte) string {
	u := sha256.Sum256(content)
	u[6] = u[6]&0x0f | 0x80
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:16])
}
