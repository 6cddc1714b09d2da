package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

const privileged = `{"ociVersion":"1.0.2","process":{"args":["init"],"oomScoreAdj":-500,` +
	`"capabilities":{"bounding":["CAP_CHOWN","CAP_SYS_RESOURCE"],"effective":["CAP_SYS_RESOURCE"]},` +
	`"rlimits":[{"type":"RLIMIT_NOFILE","soft":1024,"hard":1048576},{"type":"RLIMIT_RTPRIO","soft":9,"hard":9}]}}`

var restricted = limits{
	capabilities: 1<<25 - 1 - 1<<capSysResource,
	oomScoreAdj:  3,
	rlimit:       func(resource string) (uint64, bool) { return 20000, resource == "RLIMIT_NOFILE" },
}

func lowered(t *testing.T, content string, own limits) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := lower(path, own); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(after)
}

func expectSame(t *testing.T, got, want string) {
	t.Helper()
	var a, b any
	if json.Unmarshal([]byte(got), &a) != nil || json.Unmarshal([]byte(want), &b) != nil {
		t.Fatalf("not JSON: %s", got)
	}
	left, _ := json.Marshal(a)
	right, _ := json.Marshal(b)
	if string(left) != string(right) {
		t.Errorf("got  %s\nwant %s", left, right)
	}
}

func TestAContainerAsksForNoMoreThanThisProcessHas(t *testing.T) {
	expectSame(t, lowered(t, privileged, restricted),
		`{"ociVersion":"1.0.2","process":{"args":["init"],"oomScoreAdj":3,`+
			`"capabilities":{"bounding":["CAP_CHOWN"],"effective":[]},`+
			`"rlimits":[{"type":"RLIMIT_NOFILE","soft":1024,"hard":20000},{"type":"RLIMIT_RTPRIO","soft":9,"hard":9}]}}`)
}

func TestAProcessThatIsAddedToAContainerIsLoweredToo(t *testing.T) {
	expectSame(t, lowered(t, `{"args":["sh"],"capabilities":{"bounding":["CAP_SYS_RESOURCE"]}}`, restricted),
		`{"args":["sh"],"capabilities":{"bounding":[]}}`)
}

func TestWithTheCapabilityNothingChanges(t *testing.T) {
	if got := lowered(t, privileged, limits{capabilities: 1 << capSysResource, oomScoreAdj: 3}); got != privileged {
		t.Errorf("changed to %s", got)
	}
}

func TestTheFileIsFoundInRuncsCommandLine(t *testing.T) {
	rows := map[string][]string{
		"/b/config.json":  {"--root", "/r", "create", "--bundle", "/b", "--pid-file", "/p", "id"},
		"/c/config.json":  {"run", "-b=/c", "id"},
		"config.json":     {"create", "id"},
		"/p/process.json": {"--log", "/l", "exec", "--process", "/p/process.json", "--detach", "id"},
		"":                {"delete", "--force", "id"},
	}
	for want, arguments := range rows {
		if got := containerFile(arguments); got != want {
			t.Errorf("%v: got %q, want %q", arguments, got, want)
		}
	}
}
