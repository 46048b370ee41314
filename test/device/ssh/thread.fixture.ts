/** Logs in from a worker thread, as device threads do, and posts the output of a command. */
import { secret } from "../../../src/base/secrets/secret.ts";
import { createSsh } from "../../../src/device/ssh/connect.ts";

declare const self: { onmessage: (event: MessageEvent) => void; postMessage(message: unknown): void };

self.onmessage = async ({ data }) => {
  const { host, port, username, password } = data as Record<"host" | "username" | "password", string> & {
    port: number;
  };
  const ssh = createSsh({ hostKeys: { knownKeys: () => [], learn: () => {} } });
  const scope = { signal: AbortSignal.timeout(120_000), remaining: () => 120_000 };
  const login = { host, port, username, password: secret(password), connectTimeoutMs: 10_000 };
  const connection = await ssh.connect({ ...login, profile: "legacy", hostKeyPolicy: "auto_add" }, scope);
  const { stdout } = await connection.exec("echo from a thread", {}, scope);
  await connection.close();
  self.postMessage(stdout);
};
// Messages posted before a thread listens are dropped.
self.postMessage("listening");
