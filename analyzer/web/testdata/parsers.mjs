// Reads parsers.jsonl and prints it with what this Node reads in "browser", and this Python in
// "python". New lines need only a "url". "curl" is kept as it was recorded.
//
//	node parsers.mjs > new.jsonl
//
// The answers are those of Node 20.20.2, Python 3.11.7 and curl 7.88.1 with libidn2 2.3.3.
import { readFileSync } from "node:fs"
import { execFileSync } from "node:child_process"

const lines = readFileSync(new URL("parsers.jsonl", import.meta.url), "utf8").trim().split("\n").map((line) => JSON.parse(line))

const browser = (text) => {
	try {
		return new URL(text).hostname || null
	} catch {
		return null
	}
}

const python = `
import json, socket, sys, urllib.parse
def host(text):
    try:
        name = urllib.parse.urlsplit(text).hostname
        if name and not name.isascii():
            name = name.encode("idna").decode()
    except ValueError:
        return None
    try:
        return socket.inet_ntoa(socket.inet_aton(name)) # as it is looked up
    except (OSError, TypeError):
        return name
    except ValueError:
        return None
print(json.dumps([host(text) for text in json.load(sys.stdin)]))
`
const read = JSON.parse(execFileSync("python3", ["-c", python], { input: JSON.stringify(lines.map((line) => line.url)) }))

lines.forEach((line, i) => {
	console.log(JSON.stringify({ url: line.url, browser: browser(line.url), curl: line.curl ?? null, python: read[i] }))
})
