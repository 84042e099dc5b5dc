package mcpservers

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/exec-ext/exec-ext/conformance/need"
	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/hostapi/refhost"
	"github.com/exec-ext/exec-ext/rpc"
)

// A job is one script and what must come of it.
type job struct {
	name, script string
	value        string // the return value as JSON
	check        func(t *testing.T, r hostapi.ExecResult)
}

func jobs(folder string) []job {
	quoted, _ := json.Marshal(folder)
	return []job{
		{
			name:   "S1_1_TheSecondCallGetsTheFirstOnesValue",
			script: `const w = await tools["mcp__everything__get-structured-content"]({location: "Chicago"}); return await tools.mcp__everything__echo({message: "it is " + w.conditions})`,
			value:  `"Echo: it is Light rain / drizzle"`,
			check:  calls("mcp__everything__get-structured-content ok", "mcp__everything__echo ok"),
		},
		{
			name:   "S1_2_StructuredContentIsTheValue",
			script: `return await tools["mcp__everything__get-structured-content"]({location: "New York"})`,
			value:  `{"temperature":33,"conditions":"Cloudy","humidity":82}`,
		},
		{
			name:   "S1_2_ImagesGoToTheModelAndTextToTheScript",
			script: `return await tools["mcp__everything__get-tiny-image"]({})`,
			value:  `"Here's the image you requested:\nThe image above is the MCP logo."`,
			check:  oneImage,
		},
		{
			name:   "S1_2_TextOfEmbeddedResourcesIsPartOfTheValue",
			script: `const t = await tools["mcp__everything__get-resource-reference"]({resourceType: "Text", resourceId: 1}); return t.includes("Resource 1: This is a plaintext resource")`,
			value:  `true`,
		},
		{
			name:   "S1_5_ServerErrorsCanBeCaught",
			script: `try { await tools["mcp__everything__get-structured-content"]({location: "Atlantis"}); return "no error" } catch (e) { return e.message.includes("location") }`,
			value:  `true`,
			check:  calls("mcp__everything__get-structured-content error"),
		},
		{
			name:   "S4_LongCallWithProgressComesThrough",
			script: `return await tools["mcp__everything__trigger-long-running-operation"]({duration: 1, steps: 4})`,
			value:  `"Long running operation completed. Duration: 1 seconds, Steps: 4."`,
		},
		{
			name: "S1_1_FilesAreWrittenReadAndListed",
			script: `const dir = ` + string(quoted) + `;
				await Promise.all(["a", "b", "c"].map((n) => tools.mcp__files__write_file({path: dir + "/" + n + ".txt", content: n.repeat(3)})));
				const { content } = await tools.mcp__files__read_multiple_files({paths: [dir + "/a.txt", dir + "/c.txt"]});
				let outside;
				try { await tools.mcp__files__read_text_file({path: "/etc/hostname"}) } catch (e) { outside = e.message }
				return [content.includes("aaa") && content.includes("ccc"), /denied|outside/i.test(outside)]`,
			value: `[true,true]`,
		},
		{
			name: "S1_3_NestedArgumentsArriveWhole",
			script: `await tools.mcp__memory__create_entities({entities: [{name: "exec", entityType: "tool", observations: ["folds", "runs"]}]});
				const { entities } = await tools.mcp__memory__search_nodes({query: "exec"});
				return entities.map((e) => [e.name, e.observations])`,
			value: `[["exec",["folds","runs"]]]`,
		},
		{
			name:   "S7_1_SearchFindsAcrossServers",
			script: `const hits = await tools.$codemode.search({query: "directory"}); return [hits.length > 2, hits.every((h) => h.signature.includes(h.name))]`,
			value:  `[true,true]`,
			check:  calls("$codemode.search ok"),
		},
	}
}

func calls(want ...string) func(*testing.T, hostapi.ExecResult) {
	return func(t *testing.T, r hostapi.ExecResult) {
		var got []string
		for _, c := range r.Calls {
			got = append(got, c.Name+" "+c.Status)
		}
		if strings.Join(got, ", ") != strings.Join(want, ", ") {
			t.Errorf("calls %v, want %v", got, want)
		}
	}
}

func oneImage(t *testing.T, r hostapi.ExecResult) {
	var image struct {
		Type, MimeType string
		Data           []byte
	}
	if len(r.Content) != 2 || json.Unmarshal(r.Content[1], &image) != nil {
		t.Fatalf("content: %s", r.Content)
	}
	if image.Type != "image" || image.MimeType != "image/png" || !bytes.HasPrefix(image.Data, []byte("\x89PNG")) {
		t.Errorf("image %s %s, %d bytes", image.Type, image.MimeType, len(image.Data))
	}
}

func verify(t *testing.T, j job, r hostapi.ExecResult) {
	t.Helper()
	if r.IsError || string(r.ReturnValue) != j.value {
		t.Errorf("value %s, want %s; %s %+v", r.ReturnValue, j.value, r.Status, r.Error)
	}
	if j.check != nil {
		j.check(t, r)
	}
}

// A configuration of the three servers.
type configuration struct {
	servers map[string]any
	folder  string // that the file server may use
}

func configure(t *testing.T) configuration {
	modules := filepath.Join(need.NPM(t, "."), "node_modules", "@modelcontextprotocol")
	t.Setenv("NODE_FOR_TEST", need.Node(t))
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	server := func(name string, args ...string) map[string]any {
		return map[string]any{"command": "${NODE_FOR_TEST}", "args": append([]string{filepath.Join(modules, name, "dist", "index.js")}, args...)}
	}
	memory := server("server-memory")
	memory["env"] = map[string]string{"MEMORY_FILE_PATH": filepath.Join(t.TempDir(), "memory.jsonl")}
	return configuration{folder: folder, servers: map[string]any{
		"everything": server("server-everything", "stdio"),
		"files":      server("server-filesystem", folder),
		"memory":     memory,
	}}
}

// file writes the servers that a script names, all if it names none.
func (c configuration) file(t *testing.T, script string) string {
	named := map[string]any{}
	for name, server := range c.servers {
		if strings.Contains(script, "mcp__"+name+"__") {
			named[name] = server
		}
	}
	if len(named) == 0 {
		named = c.servers
	}
	data, err := json.Marshal(map[string]any{"mcpServers": named})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestS1_1_ReferenceServers(t *testing.T) {
	c := configure(t)
	program := need.Program(t)
	t.Run("run", func(t *testing.T) { throughRun(t, c, program) })
	t.Run("S10_4_ServerProgressIsShownWhileTheCallRuns", func(t *testing.T) { progressIsShown(t, c, program) })
	t.Run("serve", func(t *testing.T) { throughServe(t, c, program) })
}

func throughRun(t *testing.T, c configuration, program string) {
	for _, j := range jobs(c.folder) {
		t.Run(j.name, func(t *testing.T) {
			cmd := exec.Command(program, "run", "--mcp-config", c.file(t, j.script), "--allow", "mcp__*", "--json", "-e", j.script)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				t.Errorf("%v\n%s", err, stderr.String())
			}
			var r hostapi.ExecResult
			if err := json.Unmarshal(out, &r); err != nil {
				t.Fatalf("%v in %s", err, out)
			}
			verify(t, j, r)
		})
	}
}

func progressIsShown(t *testing.T, c configuration, program string) {
	const script = `await tools["mcp__everything__trigger-long-running-operation"]({duration: 1, steps: 4})`
	out, err := exec.Command(program, "run", "--mcp-config", c.file(t, script),
		"--allow", "mcp__everything__*", "-e", script).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1 tool call · mcp__everything__trigger-long-running-operation\n", "mcp__everything__trigger-long-running-operation: 2/4",
		"── instructions of the server everything ──\n"} { // E18
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

func throughServe(t *testing.T, c configuration, program string) {
	specs, _, err := refhost.ReadConfig(c.file(t, ""), os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	var sources []refhost.Source
	for _, s := range specs {
		sources = append(sources, s.Source())
	}
	hub := refhost.Connect(t.Context(), sources, refhost.HubOptions{Trouble: func(s string, err error) { t.Error(s, err) }})
	defer hub.Close()
	allow, err := refhost.ParseRules([]string{"mcp__*"})
	if err != nil {
		t.Fatal(err)
	}
	host := &refhost.Host{Hub: hub, Gate: refhost.NewGate(refhost.GateOptions{Allow: allow})}
	for _, way := range []struct {
		framing    rpc.Framing
		permission string
	}{{rpc.FramingNDJSON, refhost.PermissionInFunnel}, {rpc.FramingContentLength, refhost.PermissionSeparate}} {
		host.Permission = way.permission
		t.Run(string(way.framing)+" "+way.permission, func(t *testing.T) {
			serveJobs(t, program, host, way.framing, c.folder)
		})
	}
}

// serveJobs runs all jobs over one process's stdio and sees that it ends well.
func serveJobs(t *testing.T, program string, host *refhost.Host, framing rpc.Framing, folder string) {
	process := func(_ context.Context, in io.Reader, out io.Writer) int {
		cmd := exec.Command(program, "serve")
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = out, &stderr
		stdin, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Error(err)
			return 1
		}
		go func() { _, _ = io.Copy(stdin, in) }() // ends when the host hangs up, which may be after the process
		if err := cmd.Wait(); err != nil {
			t.Errorf("serve: %v\n%s", err, stderr.String())
		}
		return cmd.ProcessState.ExitCode()
	}
	s, err := refhost.Open(t.Context(), process, host, refhost.SessionOptions{Framing: framing, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs(folder) {
		t.Run(j.name, func(t *testing.T) {
			input, err := json.Marshal(map[string]string{"code": j.script})
			if err != nil {
				t.Fatal(err)
			}
			r, err := s.ExecRun(t.Context(), hostapi.ExecRunParams{SessionID: "s", RunID: j.name, Input: input})
			if err != nil {
				t.Fatal(err)
			}
			verify(t, j, r)
		})
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
