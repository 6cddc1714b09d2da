// runc-within-limits runs runc after it has lowered what a container asks for to what this process may give: no
// capability that it lacks, no lower OOM score and no higher resource limit than its own. Docker asks for all of them when
// a container is privileged, and runc fails where one cannot be had, as in a sandboxed virtual machine without
// CAP_SYS_RESOURCE. Where nothing is lacking, nothing changes.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "runc-within-limits:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	own, err := ownLimits()
	if err != nil {
		return err
	}
	if path := containerFile(arguments); path != "" {
		if err := lower(path, own); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	runc, err := exec.LookPath("runc")
	if err != nil {
		return err
	}
	return syscall.Exec(runc, append([]string{runc}, arguments...), os.Environ())
}

// containerFile is the file that describes the process to be started, if the command starts one.
func containerFile(arguments []string) string {
	switch {
	case slices.Contains(arguments, "create"), slices.Contains(arguments, "run"):
		if bundle := option(arguments, "--bundle", "-b"); bundle != "" {
			return filepath.Join(bundle, "config.json")
		}
		return "config.json"
	case slices.Contains(arguments, "exec"):
		return option(arguments, "--process", "-p")
	}
	return ""
}

func option(arguments []string, names ...string) string {
	for i, argument := range arguments {
		name, value, joined := strings.Cut(argument, "=")
		if !slices.Contains(names, name) {
			continue
		}
		if joined {
			return value
		}
		if i+1 < len(arguments) {
			return arguments[i+1]
		}
	}
	return ""
}

func lower(path string, own limits) error {
	before, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var document map[string]any
	decoder := json.NewDecoder(bytes.NewReader(before))
	decoder.UseNumber() // a device or limit may exceed what a float holds exactly
	if err := decoder.Decode(&document); err != nil {
		return err
	}
	process, isContainer := document["process"].(map[string]any)
	if !isContainer {
		process = document // what exec reads is the process alone
	}
	if !own.apply(process) {
		return nil
	}
	after, err := json.Marshal(document)
	if err != nil {
		return err
	}
	return os.WriteFile(path, after, 0o600)
}

// limits are what this process has, and so the most that it can pass on.
type limits struct {
	capabilities uint64
	oomScoreAdj  int64
	rlimit       func(resource string) (hard uint64, known bool)
}

func ownLimits() (limits, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return limits{}, err
	}
	_, bounding, _ := strings.Cut(string(status), "CapBnd:")
	bounding, _, _ = strings.Cut(bounding, "\n")
	capabilities, err := strconv.ParseUint(strings.TrimSpace(bounding), 16, 64)
	if err != nil {
		return limits{}, fmt.Errorf("capabilities: %w", err)
	}
	score, err := os.ReadFile("/proc/self/oom_score_adj")
	if err != nil {
		return limits{}, err
	}
	oomScoreAdj, err := strconv.ParseInt(strings.TrimSpace(string(score)), 10, 64)
	if err != nil {
		return limits{}, fmt.Errorf("OOM score: %w", err)
	}
	return limits{capabilities, oomScoreAdj, hardLimit}, nil
}

const capSysResource = 24

// apply lowers what the process asks for, and says whether anything was too much. Scores and resource limits can be had
// at will with CAP_SYS_RESOURCE.
func (own limits) apply(process map[string]any) bool {
	if own.capabilities&(1<<capSysResource) != 0 {
		return false
	}
	changed := own.dropCapabilities(process)
	if number, ok := process["oomScoreAdj"].(json.Number); ok {
		if score, err := number.Int64(); err == nil && score < own.oomScoreAdj {
			process["oomScoreAdj"] = own.oomScoreAdj
			changed = true
		}
	}
	rlimits, _ := process["rlimits"].([]any)
	for _, entry := range rlimits {
		if rlimit, ok := entry.(map[string]any); ok && own.lowerRlimit(rlimit) {
			changed = true
		}
	}
	return changed
}

func (own limits) dropCapabilities(process map[string]any) bool {
	changed := false
	sets, _ := process["capabilities"].(map[string]any)
	for name, set := range sets {
		names, _ := set.([]any)
		kept := slices.DeleteFunc(slices.Clone(names), func(name any) bool { return name == "CAP_SYS_RESOURCE" })
		if len(kept) != len(names) {
			sets[name] = kept
			changed = true
		}
	}
	return changed
}

func (own limits) lowerRlimit(rlimit map[string]any) bool {
	resource, _ := rlimit["type"].(string)
	most, known := own.rlimit(resource)
	if !known {
		return false
	}
	changed := false
	for _, key := range []string{"soft", "hard"} {
		number, _ := rlimit[key].(json.Number)
		value, err := strconv.ParseUint(number.String(), 10, 64)
		if err == nil && value > most {
			rlimit[key] = most
			changed = true
		}
	}
	return changed
}

// The kernel's numbers, of those that containers ask for.
var resources = map[string]int{
	"RLIMIT_CORE": 4, "RLIMIT_NPROC": 6, "RLIMIT_NOFILE": 7, "RLIMIT_MEMLOCK": 8, "RLIMIT_SIGPENDING": 11,
}

func hardLimit(resource string) (uint64, bool) {
	number, known := resources[resource]
	if !known {
		return 0, false
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(number, &limit); err != nil {
		return 0, false
	}
	return limit.Max, true
}
