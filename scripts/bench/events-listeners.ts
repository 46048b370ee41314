/** A process with many connections to one event stream; prints what they received as lines of JSON. */
import { setPriority } from "node:os";
import process from "node:process";

// Lower priority than the service and its jobs, which share the machine.
setPriority(10);
const [host = "", port = "", key = "", path = "", count = "0"] = process.argv.slice(2);
const total = Number(count);
const wanted = ["event: state\n", "event: end\n", "event: slow\n", "event: reset\n"].map((text) =>
  Buffer.from(text),
);
const counts = { connected: 0, states: 0, ends: 0, slow: 0, resets: 0, bytes: 0, closed: 0 };
const names = ["states", "ends", "slow", "resets"] as const;
const report = () => console.log(JSON.stringify(counts));
let lastEndAt = 0;

for (let at = 0; at < total; at++) {
  // An event may span two chunks.
  let rest = Buffer.alloc(0);
  let isHeard = false;
  await Bun.connect({
    hostname: host,
    port: Number(port),
    socket: {
      open(socket) {
        socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nX-API-KEY: ${key}\r\n\r\n`);
      },
      data(_socket, chunk) {
        counts.bytes += chunk.length;
        if (!isHeard) {
          isHeard = true;
          if (++counts.connected === total) report();
        }
        const all = Buffer.concat([rest, chunk]);
        for (const [index, text] of wanted.entries()) {
          const name = names[index] ?? "states";
          for (let from = all.indexOf(text); from >= 0; from = all.indexOf(text, from + 1)) {
            counts[name]++;
            if (name === "ends") lastEndAt = performance.now();
          }
        }
        rest = all.subarray(Math.max(0, all.length - 11));
        if (counts.ends === total && lastEndAt > 0) {
          lastEndAt = 0;
          report();
        }
      },
      close() {
        counts.closed++;
      },
    },
  });
}
process.on("SIGTERM", () => {
  report();
  process.exit(0);
});
