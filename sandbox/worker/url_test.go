package worker

import "testing"

func TestS3_1_URLParts(t *testing.T) {
	for _, c := range []struct{ text, base, want string }{
		{"https://a.b/c/", "", "https://a.b/c/"},
		{"HTTPS://Ex.COM:443", "", "https://ex.com/"},
		{"http://a.b:8080/x y?q=ü&r='#f g", "", "http://a.b:8080/x%20y?q=%C3%BC&r=%27#f%20g"},
		{"../b?x", "https://a.b/a/c/d?q#h", "https://a.b/a/b?x"},
		{"?y", "https://a.b/a/c?q", "https://a.b/a/c?y"},
		{"#z", "https://a.b/a/c?q", "https://a.b/a/c?q#z"},
		{"", "https://a.b/a?q#h", "https://a.b/a?q"},
		{"//o.p/x", "https://u:p@a.b/a", "https://o.p/x"},
		{"/x", "https://u:p@a.b:9/a", "https://u:p@a.b:9/x"},
		{"./../../x/./y/..", "https://a.b/c/d", "https://a.b/x/"},
		{"g:h", "https://a.b", "g:h"},
		{"mailto:a@b.c?subject=x", "", "mailto:a@b.c?subject=x"},
		{"data:text/plain,hi there", "", "data:text/plain,hi there"},
		{"https:\\\\a.b\\c", "", "https://a.b/c"},
		{"file:///etc/x", "", "file:///etc/x"},
		{"http://[::1]:80/", "", "http://[::1]/"},
		{"http://1.2.3.4/", "", "http://1.2.3.4/"},
		{"  http://a.b/\tc\n ", "", "http://a.b/c"},
		{"http://a.b/%7Ex/%2e%2e/y", "", "http://a.b/y"},
		{"ws://a.b:80/c", "", "ws://a.b/c"},
		{"redis://u:p@h:6379/0", "", "redis://u:p@h:6379/0"},
		{"x", "", ""}, {"http://", "", ""}, {"http://a b/", "", ""}, {"http://a:99999/", "", ""}, {"http://a:b/", "", ""},
		{"http://1.2.3.999/", "", ""}, {"http://ü.de/", "", ""}, {"x", "mailto:a", ""}, {"http://a<b/", "", ""},
	} {
		var base *webURL
		if c.base != "" {
			b, ok := parseURL(c.base, nil)
			if !ok {
				t.Fatalf("base %q", c.base)
			}
			base = &b
		}
		got := ""
		if u, ok := parseURL(c.text, base); ok {
			got = u.href()
		}
		if got != c.want {
			t.Errorf("%q on %q: got %q, want %q", c.text, c.base, got, c.want)
		}
	}
}
