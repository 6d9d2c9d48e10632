// A server in Gavel's place that answers each event as a test says.
import { createServer } from "node:http";

export async function serve(answer, socket) {
  const seen = [];
  const server = createServer((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      seen.push({ path: request.url, authorization: request.headers.authorization, event: JSON.parse(Buffer.concat(parts)) });
      answer(response, seen.at(-1));
    });
  });
  await new Promise((resolve) => (socket ? server.listen(socket, resolve) : server.listen(0, "127.0.0.1", resolve)));
  return { url: socket ? undefined : `http://127.0.0.1:${server.address().port}`, seen, close: () => (server.closeAllConnections(), server.close()) };
}

export const json = (status, body, type = "application/json") => (response) => {
  response.writeHead(status, { "content-type": type });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
};

/** Answers after which no call may run, whatever the host. */
export const wrong = {
  "a deny": json(200, { decision: "deny", reason: "exec.denied: not allowed" }),
  "a deny without a reason": json(200, { decision: "deny" }),
  "no decision": json(200, { reason: "r" }),
  "an allow without a reason": json(200, { decision: "allow", args: {}, params: {} }),
  "an allow without parameters": json(200, { decision: "allow", reason: "r" }),
  "an allow with a list of parameters": json(200, { decision: "allow", reason: "r", args: [], params: [] }),
  "an allow in capitals": json(200, { decision: "ALLOW", reason: "r", args: {}, params: {} }),
  "an unknown decision": json(200, { decision: "permit", reason: "r", args: {}, params: {} }),
  "true": json(200, true),
  "null": json(200, null),
  "an empty body": json(200, ""),
  "garbage": json(200, "allow"),
  "an allow with status 500": json(500, { decision: "allow", reason: "r", args: {}, params: {} }),
  "an allow with status 403": json(403, { decision: "allow", reason: "r", args: {}, params: {} }),
  "an allow as text": json(200, { decision: "allow", reason: "r", args: {}, params: {} }, "text/plain"),
  "half of an allow": (response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "500" });
    response.write('{"decision":"allow","reason":"r","args":{},"params":{}}');
    setTimeout(() => response.destroy(), 20);
  },
  "no answer": () => {},
};
