package sandbox_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// fakeWorker speaks the wire as the real worker does, but the script it is given names what it does wrong:
// a word for the behaviour, and what follows is for that behaviour.
func fakeWorker() int {
	if len(os.Args) > 2 && !strings.HasPrefix(os.Args[2], "--") {
		return fakeStart(os.Args[2])
	}
	say(wire.Ready, 0, wire.ReadyHead{Guarantees: map[string]string{"filesystem": "denied"}}, nil)
	f, err := wire.Read(os.Stdin, 1<<30)
	if err != nil {
		return 0 // an unused spare
	}
	word, rest, _ := strings.Cut(string(f.Body), " ")
	act, ok := fakeActs[word]
	if !ok {
		panic("no such act: " + word)
	}
	return act(rest)
}

// fakeStart never gets as far as reading the script.
func fakeStart(how string) int {
	switch how {
	case "silent":
		io.Copy(io.Discard, os.Stdin)
	case "garbage":
		os.Stdout.WriteString("this is not a frame, and long enough to be read as one")
	case "notready":
		say(wire.Done, 0, wire.DoneHead{}, nil)
	case "badhead":
		wire.Write(os.Stdout, wire.Frame{Kind: wire.Ready, Head: []byte("{")})
	case "exit":
		return 7
	case "unread":
		return say(wire.Ready, 0, wire.ReadyHead{}, nil) + forever()
	}
	return 0
}

var fakeActs = map[string]func(rest string) int{
	"value": func(rest string) int { return say(wire.Done, 0, wire.DoneHead{}, []byte(rest)) },
	"raw":   func(rest string) int { os.Stdout.WriteString(rest); return 0 },
	"exit":  func(rest string) int { var code int; fmt.Sscan(rest, &code); return code },
	"signal": func(rest string) int {
		var sig int
		fmt.Sscan(rest, &sig)
		return signalSelf(syscall.Signal(sig))
	},
	"panic": func(rest string) int { panic(rest) },
	"spin": func(string) int {
		//lint:ignore SA5002 a worker that spins is what is wanted
		for {
		}
	},
	"stderr": func(rest string) int { os.Stderr.WriteString(rest); return 2 },
	"stderrflood": func(string) int {
		for range 1000 {
			os.Stderr.Write(bytes.Repeat([]byte("e"), 64<<10))
		}
		return 2
	},
	"kind":   func(rest string) int { return say(wire.Kind(rest[0]), 0, struct{}{}, nil) + forever() },
	"failed": func(rest string) int { return sayRaw(wire.Failed, 0, rest, nil) },
	"done":   func(rest string) int { return sayRaw(wire.Done, 0, rest, []byte("1")) },
	"log": func(rest string) int {
		say(wire.Log, 0, nil, []byte(rest))
		return say(wire.Done, 0, wire.DoneHead{}, nil)
	},
	"logspin": func(rest string) int { say(wire.Log, 0, nil, []byte(rest)); return forever() },
	"logkill": func(rest string) int {
		say(wire.Log, 0, nil, []byte(rest))
		return signalSelf(syscall.SIGKILL)
	},
	"logflood": func(string) int {
		for range 20000 {
			say(wire.Log, 0, nil, []byte("an ordinary line of some length, é𝄞"))
		}
		return say(wire.Done, 0, wire.DoneHead{LogChars: 1 << 30}, nil)
	},
	"warnflood": func(string) int {
		for range 20000 {
			say(wire.Warn, 0, nil, bytes.Repeat([]byte("w"), 8<<10))
		}
		return say(wire.Done, 0, wire.DoneHead{}, nil)
	},
	"call": func(args string) int { // one call, its answer is the value
		sayRaw(wire.CallTo, 1, `{"name":"t"}`, []byte(args))
		return sayAnswer()
	},
	"callspin":  func(string) int { call(1, "t"); sayAnswerless(); return forever() },
	"callleave": func(string) int { call(1, "t"); return say(wire.Done, 0, wire.DoneHead{}, []byte("1")) },
	"callexit":  func(string) int { call(1, "t"); return 9 },
	"callraw":   func(rest string) int { sayRaw(wire.CallTo, 1, rest, []byte("{}")); return forever() },
	"callids": func(rest string) int {
		for _, id := range strings.Fields(rest) {
			var n uint32
			fmt.Sscan(id, &n)
			call(n, "t")
		}
		return forever()
	},
	"callflood": func(string) int { // never reads
		for id := uint32(1); ; id++ {
			call(id, "t")
		}
	},
	"callbig": func(string) int {
		args := []byte(`{"a":"` + strings.Repeat("x", 1<<19) + `"}`)
		for id := uint32(1); ; id++ {
			sayRaw(wire.CallTo, id, `{"name":"t"}`, args)
		}
	},
	"names": func(string) int {
		say(wire.Names, 1, nil, nil)
		return sayAnswer()
	},
	"namesflood": func(string) int {
		for {
			say(wire.Names, 1, nil, nil)
		}
	},
	"deaf": func(string) int { // makes one call and never reads its large answer
		call(1, "t")
		return forever()
	},
	"closed": func(string) int { os.Stdout.Close(); return forever() },
	"grow": func(string) int {
		for hold := [][]byte{}; ; {
			b := make([]byte, 1<<20)
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			hold = append(hold, b)
		}
	},
	"huge": func(string) int {
		os.Stdout.Write([]byte{'d', 0, 0, 0, 0, 0, 0, 0, 2, 0x7f, 0xff, 0xff, 0xff, '{', '}'})
		return forever()
	},
	"twice": func(string) int {
		say(wire.Done, 0, wire.DoneHead{}, []byte("1"))
		call(1, "late")
		return say(wire.Done, 0, wire.DoneHead{}, []byte("2"))
	},
}

func say(kind wire.Kind, id uint32, head any, body []byte) int {
	raw := []byte(nil)
	if head != nil {
		raw, _ = json.Marshal(head)
	}
	return sayRaw(kind, id, string(raw), body)
}

func sayRaw(kind wire.Kind, id uint32, head string, body []byte) int {
	wire.Write(os.Stdout, wire.Frame{Kind: kind, ID: id, Head: []byte(head), Body: body})
	return 0
}

func call(id uint32, name string) { say(wire.CallTo, id, wire.CallHead{Name: name}, []byte("{}")) }

// sayAnswer returns the parent's next frame as the value: its kind, its head and its body.
func sayAnswer() int {
	f, _ := wire.Read(os.Stdin, 1<<30)
	value, _ := json.Marshal([]string{string(rune(f.Kind)), string(f.Head), string(f.Body)})
	return say(wire.Done, 0, wire.DoneHead{}, value)
}

func sayAnswerless() { wire.Read(os.Stdin, 1<<30) }

func forever() int {
	for {
		time.Sleep(time.Hour)
	}
}

func signalSelf(sig syscall.Signal) int {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(sig)
	}
	if err != nil {
		panic(err)
	}
	return forever()
}
