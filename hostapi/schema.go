package hostapi

import (
	"encoding/json"
	"reflect"

	"github.com/invopop/jsonschema"
)

// A SchemaDocument is every message as JSON Schema (2020-12), made from the Go types: $defs by type name and the
// method table that points into them. What exec-ext sends is closed; what it receives may have further members.
type SchemaDocument struct {
	Schema          string                        `json:"$schema"`
	Title           string                        `json:"title"`
	ProtocolVersion int                           `json:"protocolVersion"`
	Methods         []SchemaMethod                `json:"methods"`
	Defs            map[string]*jsonschema.Schema `json:"$defs"`
}

// A SchemaMethod is one row: references into $defs, absent for a notification's result.
type SchemaMethod struct {
	Method string             `json:"method"`
	From   string             `json:"from"`
	Params *jsonschema.Schema `json:"params"`
	Result *jsonschema.Schema `json:"result,omitempty"`
}

// Schemas gives the document as indented JSON; the same bytes for one build.
func Schemas() ([]byte, error) {
	doc := SchemaDocument{
		Schema: jsonschema.Version, Title: "exec-ext wire protocol", ProtocolVersion: ProtocolVersion,
		Defs: map[string]*jsonschema.Schema{},
	}
	for _, m := range Methods() {
		row := SchemaMethod{Method: m.Name, From: m.From}
		row.Params = doc.add(m.Params, m.From == FromExtension)
		if m.Result != nil {
			row.Result = doc.add(m.Result, m.From == FromHost)
		}
		doc.Methods = append(doc.Methods, row)
	}
	doc.add(reflect.TypeFor[PoolTool](), false)
	doc.describeInput()
	out, err := json.MarshalIndent(doc, "", "  ")
	return append(out, '\n'), err
}

// add puts a type and all it names into the document. sent says that exec-ext writes it.
func (d *SchemaDocument) add(t reflect.Type, sent bool) *jsonschema.Schema {
	if t == reflect.TypeFor[Null]() {
		return &jsonschema.Schema{Type: "null"}
	}
	r := jsonschema.Reflector{AllowAdditionalProperties: !sent, Anonymous: true}
	s := r.ReflectFromType(t)
	for name, def := range s.Definitions {
		if d.Defs[name] == nil || !sent { // a type that goes both ways stays open
			d.Defs[name] = def
		}
	}
	return &jsonschema.Schema{Ref: s.Ref}
}

// describeInput gives the raw members of messages to exec-ext their shape: any part of a config, a subset of the
// limits, tools as a server listed them.
func (d *SchemaDocument) describeInput() {
	d.Defs["ConfigPatch"] = d.partial("Config")
	d.Defs["LimitsPatch"] = d.partial("Limits")
	for _, part := range []string{"EnableExec", "Limits", "Catalog", "Sandbox"} {
		d.Defs[part+"Patch"] = d.partial(part)
	}
	d.point("InitializeParams", "config", "ConfigPatch")
	d.point("ConfigUpdateParams", "patch", "ConfigPatch")
	d.point("ExecRunParams", "limits", "LimitsPatch")
	if tools, ok := d.Defs["PoolSnapshot"].Properties.Get("tools"); ok {
		tools.Items = &jsonschema.Schema{Ref: "#/$defs/PoolTool"}
	}
}

func (d *SchemaDocument) point(def, property, to string) {
	if p, ok := d.Defs[def].Properties.Get(property); ok {
		*p = jsonschema.Schema{Ref: "#/$defs/" + to}
	}
}

// partial is a copy of a definition in which every member may be left out or null, as in a JSON merge patch.
func (d *SchemaDocument) partial(name string) *jsonschema.Schema {
	full := d.Defs[name]
	out := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties()}
	for pair := full.Properties.Oldest(); pair != nil; pair = pair.Next() {
		member := *pair.Value
		if member.Ref != "" {
			member.Ref += "Patch"
		}
		out.Properties.Set(pair.Key, &jsonschema.Schema{AnyOf: []*jsonschema.Schema{&member, {Type: "null"}}})
	}
	return out
}
