/** The provided cryptography also works in a worker thread, which loads ssh2 again. */
import { describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { startSshd } from "../../../scripts/testbed/openssh.ts";

describe.skipIf(needs("openssh"))("SSH in a worker thread", () => {
  test.each([
    { kex: "diffie-hellman-group1-sha1", ciphers: "3des-cbc", macs: "hmac-md5" },
    { kex: "diffie-hellman-group18-sha512", ciphers: "chacha20-poly1305@openssh.com" },
  ])("logs in with %j", async (algorithms) => {
    const server = await startSshd(algorithms);
    const worker = new Worker(new URL("./thread.fixture.ts", import.meta.url).href);
    try {
      const next = () =>
        new Promise<unknown>((resolve, reject) => {
          worker.onmessage = ({ data }) => resolve(data);
          worker.onerror = ({ message }) => reject(new Error(message));
        });
      expect(await next()).toBe("listening");
      const output = next();
      const { host, port, user, password } = server;
      worker.postMessage({ host, port, username: user, password });
      expect(await output).toBe("from a thread\n");
    } finally {
      worker.terminate();
      await server.stop();
    }
  });
});
