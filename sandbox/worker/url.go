package worker

import (
	"regexp"
	"strconv"
	"strings"
)

// A webURL is a URL's parts as the URL class names them, parsed as the WHATWG standard says for ASCII hosts; a host
// beyond ASCII is refused, never misread.
type webURL struct {
	protocol, username, password, hostname, port, pathname, search, hash string

	hasHost bool // an authority was written, or the scheme has one always
	opaque  bool // the path is a text without segments, as in mailto:
}

// specialPorts are the schemes of the web with their default ports.
var specialPorts = map[string]string{"http:": "80", "https:": "443", "ws:": "80", "wss:": "443", "ftp:": "21", "file:": ""}

var (
	urlScheme     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)
	urlHost       = regexp.MustCompile(`^[a-z0-9!$&'()*+,;=_~.-]*$`)
	urlHostOpaque = regexp.MustCompile(`^[A-Za-z0-9!$&'()*+,;=_~.%-]*$`)
	urlIPv4       = regexp.MustCompile(`^(25[0-5]|2[0-4]\d|1?\d?\d)(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$`)
	urlIPv6       = regexp.MustCompile(`^\[[0-9a-fA-F:.]+\]$`)
	urlNumeric    = regexp.MustCompile(`(?:^|\.)(?:\d+|0x[0-9a-f]*)\.?$`)
)

// Which characters are percent-encoded, beside controls and what is not ASCII.
const (
	encodeFragment = " \"<>`"
	encodeQuery    = " \"#<>"
	encodePath     = " \"#<>?`{}^"
	encodeUserinfo = encodePath + "/:;=@[\\]|"
)

func percentEncode(s, set string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if c := s[i]; c <= 0x1f || c >= 0x7f || strings.IndexByte(set, c) >= 0 {
			b.WriteString("%" + strings.ToUpper(strconv.FormatUint(uint64(c)|0x100, 16)[1:]))
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func (u *webURL) special() bool { _, ok := specialPorts[u.protocol]; return ok }

// parseURL reads text, relative to base if that is not nil. ok is false for what is no URL.
func parseURL(text string, base *webURL) (u webURL, ok bool) {
	text = strings.TrimFunc(text, func(r rune) bool { return r <= ' ' })
	text = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(text)
	scheme := urlScheme.FindString(text)
	rest := text[len(scheme):]
	if scheme = strings.ToLower(scheme); scheme == "" || base != nil && scheme == base.protocol && base.special() && !strings.HasPrefix(rest, "/") && !strings.HasPrefix(rest, `\`) {
		return base.relative(rest)
	}
	u.protocol = scheme
	rest = u.takeHash(rest)
	rest = u.takeSearch(rest)
	if u.special() {
		rest = strings.ReplaceAll(rest, `\`, "/")
		authority, path := "", rest
		if scheme == "file:" {
			path, ok = strings.CutPrefix(rest, "//")
			if !ok {
				return u, u.setPath(nil, rest)
			}
		} else {
			path = strings.TrimLeft(rest, "/")
		}
		authority, path = cutAuthority(path)
		return u, u.setAuthority(authority) && u.setPath(nil, path)
	}
	if path, found := strings.CutPrefix(rest, "//"); found {
		authority, path := cutAuthority(path)
		return u, u.setAuthority(authority) && u.setPath(nil, path)
	}
	if strings.HasPrefix(rest, "/") {
		return u, u.setPath(nil, rest)
	}
	u.opaque, u.pathname = true, percentEncode(rest, "")
	return u, true
}

func cutAuthority(s string) (authority, path string) {
	if i := strings.IndexByte(s, '/'); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// relative reads a reference without a scheme.
func (base *webURL) relative(ref string) (u webURL, ok bool) {
	if base == nil || base.opaque && !strings.HasPrefix(ref, "#") {
		return u, false
	}
	u = *base
	u.hash = ""
	rest := u.takeHash(ref)
	if rest == "" && !strings.ContainsRune(ref, '?') {
		return u, true
	}
	u.search = ""
	rest = u.takeSearch(rest)
	if u.special() {
		rest = strings.ReplaceAll(rest, `\`, "/")
	}
	if path, found := strings.CutPrefix(rest, "//"); found {
		authority, path := cutAuthority(path)
		u.username, u.password, u.port = "", "", ""
		return u, u.setAuthority(authority) && u.setPath(nil, path)
	}
	if rest == "" {
		return u, true
	}
	var segments []string
	if !strings.HasPrefix(rest, "/") {
		segments = strings.Split(strings.TrimPrefix(base.pathname, "/"), "/")
		segments = segments[:len(segments)-1]
	}
	return u, u.setPath(segments, rest)
}

func (u *webURL) takeHash(s string) string {
	rest, hash, _ := strings.Cut(s, "#")
	if hash != "" {
		u.hash = "#" + percentEncode(hash, encodeFragment)
	}
	return rest
}

func (u *webURL) takeSearch(s string) string {
	rest, query, _ := strings.Cut(s, "?")
	if query != "" {
		set := encodeQuery
		if u.special() {
			set += "'"
		}
		u.search = "?" + percentEncode(query, set)
	}
	return rest
}

// setAuthority reads user:password@host:port.
func (u *webURL) setAuthority(s string) bool {
	u.hasHost = true
	if at := strings.LastIndexByte(s, '@'); at >= 0 {
		name, password, _ := strings.Cut(s[:at], ":")
		u.username, u.password = percentEncode(name, encodeUserinfo), percentEncode(password, encodeUserinfo)
		s = s[at+1:]
	}
	host, port := s, ""
	if i := strings.LastIndexByte(s, ':'); i >= 0 && !strings.HasSuffix(s, "]") {
		host, port = s[:i], s[i+1:]
	}
	if !u.setHost(host) {
		return false
	}
	return u.setPort(port)
}

func (u *webURL) setHost(host string) bool {
	if urlIPv6.MatchString(host) {
		u.hostname = strings.ToLower(host)
		return true
	}
	if !u.special() {
		u.hostname = host
		return urlHostOpaque.MatchString(host)
	}
	host = strings.ToLower(unpercent(host))
	if u.protocol == "file:" && host == "localhost" {
		host = ""
	}
	if host == "" && u.protocol != "file:" || !urlHost.MatchString(host) || urlNumeric.MatchString(host) && !urlIPv4.MatchString(host) {
		return false
	}
	u.hostname = host
	return true
}

func (u *webURL) setPort(port string) bool {
	u.port = ""
	if port == "" {
		return true
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return false
	}
	if p := strconv.FormatUint(n, 10); p != specialPorts[u.protocol] {
		u.port = p
	}
	return true
}

// setPath resolves dots in path, on top of the segments before it.
func (u *webURL) setPath(segments []string, path string) bool {
	if path == "" && !u.special() {
		u.pathname = ""
		return true
	}
	list := strings.Split(strings.TrimPrefix(path, "/"), "/")
	out := append([]string{}, segments...)
	for i, s := range list {
		last := i == len(list)-1
		switch strings.ReplaceAll(strings.ToLower(s), "%2e", ".") {
		case ".":
			if last {
				out = append(out, "")
			}
		case "..":
			out = out[:max(len(out)-1, 0)]
			if last {
				out = append(out, "")
			}
		default:
			out = append(out, percentEncode(s, encodePath))
		}
	}
	u.pathname = "/" + strings.Join(out, "/")
	return true
}

func (u *webURL) host() string {
	if u.port != "" {
		return u.hostname + ":" + u.port
	}
	return u.hostname
}

func (u *webURL) href() string {
	s := u.protocol
	if u.hasHost || u.special() {
		s += "//"
		if u.username != "" || u.password != "" {
			s += u.username
			if u.password != "" {
				s += ":" + u.password
			}
			s += "@"
		}
		s += u.host()
	}
	return s + u.pathname + u.search + u.hash
}

// set changes one part as the URL class's setters do; a value that does not fit changes nothing.
func (u *webURL) set(part, value string) {
	next := *u
	ok := true
	switch part {
	case "protocol":
		scheme := urlScheme.FindString(strings.TrimSuffix(value, ":") + ":")
		next.protocol = strings.ToLower(scheme)
		ok = scheme != "" && next.special() == u.special() && next.setPort(u.port)
	case "username":
		next.username = percentEncode(value, encodeUserinfo)
	case "password":
		next.password = percentEncode(value, encodeUserinfo)
	case "host":
		ok = next.setAuthority(value)
		next.username, next.password = u.username, u.password
	case "hostname":
		ok = next.setHost(value)
	case "port":
		ok = next.setPort(value)
	case "pathname":
		ok = !u.opaque && next.setPath(nil, value)
	case "search":
		next.search = ""
		next.takeSearch("?" + strings.TrimPrefix(value, "?"))
	case "hash":
		next.hash = ""
		next.takeHash("#" + strings.TrimPrefix(value, "#"))
	}
	if ok {
		*u = next
	}
}
