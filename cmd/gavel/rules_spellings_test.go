package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"gavel"
)

// spellingCase is one rule with commands that it must decide alike, and some that it must not
// be about. What it does not decide is allowed by permits.
type spellingCase struct {
	rule    string
	permits string // another rule; "" for none
	alike   []string
	others  []string
}

func spellingCases() []spellingCase {
	return slices.Concat(gitSpellings(), clusterSpellings(), fileSpellings(), otherSpellings())
}

// allowAny is a rule that allows a program with any words.
func allowAny(program string) string {
	return fmt.Sprintf("{program: %s, effect: allow, accepts: any}", program)
}

func gitSpellings() []spellingCase {
	return []spellingCase{
		{"{program: git, commands: [push], effect: deny}", allowAny("git"),
			[]string{"git push", "git push origin x", "git -C sub push", "git -P push origin", "git --no-pager -C a -C b push -u origin x", "git -c a.b=c push", "git push -- origin", "git $x"},
			[]string{"git status", "git stash push", "git log push", "git log --grep push"}},
		{"{program: git, commands: [push], options: [--force, --force-with-lease, --delete], effect: deny}", allowAny("git"),
			[]string{"git push -f", "git push origin x -f", "git push --force origin x", "git push --forc origin", "git push -uf origin", "git push -fu origin", "git push --force-with-lease=x", "git -C sub push -f origin x",
				"git push -d origin x", "git push origin +x", "git push origin :x", "git push -f -f", "git push origin $x", `git push "-f"`, `git push -"f"`, "git push --force-with"},
			[]string{"git push origin x", "git push -u origin x", "git fetch -f", "git push -n origin force", "git push -- -f", `git push origin "$x"`}[:5]},
		{"{program: git, commands: [status, diff, log, show], effect: allow}", "",
			[]string{"git status", "git diff", "git diff HEAD~1", "git log --oneline -5", "git show HEAD", "git --no-pager log", "git -C . status", "git status -sb"}, nil},
		{"{program: git, commands: [remote add, remote remove], effect: deny}", allowAny("git"),
			[]string{"git remote add x y", "git -C sub remote add x y", "git remote remove x", "git remote -v add x y", "git --no-pager remote add x y"},
			[]string{"git remote -v", "git remote get-url x", "git add remote"}},
		{"{program: git, commands: [commit], options: [--no-verify], effect: ask}", allowAny("git"),
			[]string{"git commit -n -m x", "git commit --no-verify", "git commit -nm x", "git commit -am x -n", "git commit -anm x", "git commit --no-veri"},
			[]string{"git commit -m x", "git commit -m -n", "git log -n 5"}},
		{`{program: git, commands: [log], options: {-n: ["5"]}, effect: allow}`, "",
			[]string{"git log -n 5", "git log -n5", "git log --max-count=5", "git log --max-count 5"}, nil},
		{`{program: git, commands: [log, shortlog], options: {-n: ["5"]}, effect: deny}`, allowAny("git"),
			[]string{"git log -n 5", "git log -n5", "git log --max-count=5"},
			[]string{"git log -n 50", "git log 5", "git shortlog -n", "git shortlog -n HEAD"}},
	}
}

func clusterSpellings() []spellingCase {
	return []spellingCase{
		{`{program: kubectl, options: {-n: [prod, "prod-*"]}, effect: ask}`, allowAny("kubectl"),
			[]string{"kubectl get pods -n prod", "kubectl -n prod get pods", "kubectl get pods -n=prod", "kubectl get pods -nprod", "kubectl --namespace prod get pods", "kubectl get --namespace=prod-1 pods",
				"kubectl get pods -n dev -n prod", `kubectl get pods -n "$x"`, "kubectl get pods -n prod-eu", "kubectl get pods -A -n prod", "kubectl get pods -wn prod"},
			[]string{"kubectl get pods", "kubectl get pods -n dev", "kubectl get pods -n production", "kubectl get prod", "kubectl get pods -l n=prod"}},
		{`{program: kubectl, commands: [get, describe], options: {-n: [dev, "dev-*"], -o: any}, effect: allow}`, "",
			[]string{"kubectl get pods -n dev", "kubectl -n dev get pods", "kubectl get pods --namespace=dev-1", "kubectl describe pod x -n=dev", "kubectl get pods -ndev -o json", "kubectl get pods -n dev -o=json"}, nil},
		{"{program: kubectl, commands: [delete], effect: deny}", allowAny("kubectl"),
			[]string{"kubectl delete pod x", "kubectl -n dev delete pod x", "kubectl --namespace=dev delete pod x", "kubectl delete -f x.yaml", "kubectl $x pod"},
			[]string{"kubectl get pods", "kubectl apply -f x.yaml", "kubectl describe pod delete"}},
		{"{program: docker, commands: [run], options: [--privileged], effect: deny}", allowAny("docker"),
			[]string{"docker run --privileged x", "docker run -it --privileged x", "docker run --privileged=true x", "docker run --rm --privileged x sh", "docker $x"},
			[]string{"docker run x", "docker ps", "docker run x --privileged"}[:2]},
	}
}

func fileSpellings() []spellingCase {
	return []spellingCase{
		{"{program: rm, options: [-r, -R, --recursive], effect: deny}", allowAny("rm"),
			[]string{"rm -r x", "rm -rf x", "rm -fr x", "rm x -r", "rm --recursive x", "rm --rec x", "rm -R x", "rm -vfr x", "rm -f $x"},
			[]string{"rm x", "rm -f x", "rm -- -r", "rm -v r"}},
		{`{program: rm, operands: ["/etc/**", "*.key"], effect: deny}`, allowAny("rm"),
			[]string{"rm /etc/x", "rm -f /etc/a/b", "rm a /etc/x", "rm -- /etc/x", "rm //etc/x", "rm /usr/../etc/x", "rm /./etc/x", "rm ../../etc/x", "rm a.key", "rm -f b.key c"},
			[]string{"rm a", "rm etc/x", "rm -f key"}},
		{"{program: tar, options: [--to-command, -P], effect: deny}", allowAny("tar"),
			[]string{"tar xPf a.tar", "tar -xPf a.tar", "tar --to-command=x -xf a.tar", "tar -xf a.tar --to-comm x", "tar -P -xf a.tar", "tar -xf a.tar --absolute-names"},
			[]string{"tar xf a.tar", "tar -xf P", "tar -tf a.tar"}},
	}
}

func otherSpellings() []spellingCase {
	return []spellingCase{
		{`{program: npm, commands: [test, run], operands: [test, build, "lint:*"], accepts: [project], effect: allow}`, "",
			[]string{"npm test", "npm run build", "npm run test", "npm run lint:js", "npm run-script build", "npm t"}, nil},
		{"{program: npm, commands: [publish], effect: deny}", allowAny("npm"),
			[]string{"npm publish", "npm publish .", "npm --loglevel silent publish", "npm publis", "npm $x"},
			[]string{"npm test", "npm run publish", "npm ls"}},
		{"{program: npm, commands: [install], effect: ask}", allowAny("npm"),
			[]string{"npm install x", "npm i x", "npm add x", "npm isntall x", "npm install", "npm in x"},
			[]string{"npm test", "npm run install", "npm ls install"}},
		{`{program: curl, options: {-X: [POST, PUT, DELETE]}, effect: deny}`, allowAny("curl"),
			[]string{"curl -X POST http://x", "curl -XPOST http://x", "curl --request POST http://x", "curl http://x --request=POST", "curl -sX POST http://x", "curl -sXPUT http://x", `curl -X "$m" http://x`, "curl -X GET -X POST http://x", "curl --reque POST http://x"},
			[]string{"curl http://x", "curl -X GET http://x", "curl http://x/POST"}},
		{"{program: sudo, effect: deny}", "{program: ls, effect: allow}",
			[]string{"sudo ls", "sudo -u x ls", "sudo -n ls", "env sudo ls", "sudo env ls"},
			[]string{"ls", "ls sudo", "env ls"}},
		{"{program: python3, operands: [deploy.py], effect: deny}", allowAny("python3"),
			[]string{"python3 deploy.py", "python3 -B deploy.py", "python3.12 deploy.py", "python3 -u deploy.py x"},
			[]string{"python3 x.py", "python3 deploy"}},
		{"{program: mytool, commands: [deploy], effect: deny}", allowAny("mytool"),
			[]string{"mytool deploy", "mytool --env prod deploy", "mytool -v deploy x", "mytool x deploy", "mytool $x"},
			[]string{"mytool status", "mytool deployments"}},
		{`{program: mytool, operands: [status, "env-*"], effect: allow}`, "",
			[]string{"mytool status", "mytool status env-a", "mytool env-b status"}, nil},
	}
}

// around are wrappers that change nothing of what a rule says.
func around(command string) []string {
	quoted := "'" + strings.ReplaceAll(command, "'", `'\''`) + "'"
	return []string{command, "env " + command, "env A=1 " + command, "A=1 " + command, "nice " + command, "timeout 5 " + command,
		"sh -c " + quoted, "bash -c " + quoted, "ls && " + command, "env nice -n 5 sh -c " + quoted}
}

// R42: whichever way a command is spelled, and whatever is around it, a rule decides it the same.
func TestSpellingsOfACommandAreDecidedAlike(t *testing.T) {
	t.Parallel()
	list := spellingCases()
	agents, programs := map[string]any{}, map[string]string{}
	for i, c := range list {
		rules := []any{}
		for _, text := range []string{"{program: ls, effect: allow}", c.rule, c.permits} {
			if text != "" {
				var rule map[string]any
				require.NoError(t, yaml.Unmarshal([]byte(text), &rule), text)
				rules = append(rules, rule)
			}
		}
		agents[fmt.Sprintf("r%d", i)] = map[string]any{"exec": map[string]any{"rules": rules}}
	}
	for _, name := range strings.Fields("git kubectl npm rm curl sudo tar python3 python3.12 mytool docker ls env nice timeout sh bash") {
		programs[name] = "/usr/bin/" + name
	}
	pdp := loaded(t, map[string]any{"agents": agents, "tools": map[string]any{"profile": "full",
		"exec": map[string]any{"host": "gateway", "security": "allowlist", "ask": "on-miss"}}})
	decide := func(agent, command string) gavel.Decision {
		return pdp.Decide(t.Context(), gavel.Call{Agent: gavel.Agent{ID: agent}, Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": command}},
			Environment: &gavel.Environment{Cwd: "/srv/app", Home: "/home/u", Path: []string{"/usr/bin"}, Platform: "linux", Executables: programs}}, gavel.Options{})
	}
	spellings := 0
	for i, c := range list {
		agent := fmt.Sprintf("r%d", i)
		want := gavel.Deny
		switch {
		case strings.Contains(c.rule, "effect: allow"):
			want = gavel.Allow
		case strings.Contains(c.rule, "effect: ask"):
			want = gavel.Ask
		}
		for _, command := range c.alike {
			for _, spelling := range around(command) {
				spellings++
				got := decide(agent, spelling)
				assert.Equal(t, want, got.Effect, "%s\n%s\n%v", c.rule, spelling, got.Reasons)
				if want == gavel.Deny {
					assert.Contains(t, []string{"exec.rule_denied", "exec.rule_unclear"}, got.Reasons[0].Code, spelling)
				}
			}
		}
		for _, command := range c.others {
			for _, reason := range decide(agent, command).Reasons {
				assert.NotContains(t, []string{"exec.rule_denied", "exec.rule_unclear", "exec.rule_asks"}, reason.Code, "%s\n%s", c.rule, command)
			}
		}
	}
	assert.GreaterOrEqual(t, len(list), 20)
	assert.GreaterOrEqual(t, spellings, 200)
}
