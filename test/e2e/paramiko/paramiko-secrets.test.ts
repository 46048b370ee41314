/**
 * P31 for servers: whatever happens to a job of the paramiko driver, none of its secrets appears where it
 * should not.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import { run as runProgram } from "../../../scripts/testbed/run.ts";
import { allowSudo } from "../../../scripts/testbed/sudo.ts";
import { ensureUser } from "../../../scripts/testbed/users.ts";
import { filesIn } from "../../../src/base/files/file-below.ts";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { marker } from "../../device/ssh/support.ts";

const folder = tempFolder();
let made = 0;
const canaries: string[] = [];
function canary(text = `canary-${++made}-q7Zx-paramiko`): string {
  canaries.push(text);
  return text;
}
/** A private key and its passphrase; a line from its middle identifies it. */
function keyPair(name: string): { pem: string; phrase: string } {
  const phrase = canary();
  const file = join(folder, name);
  runProgram(["ssh-keygen", "-q", "-t", "ed25519", "-N", phrase, "-f", file], { mustSucceed: true });
  const pem = readFileSync(file, "utf8");
  canary(pem.split("\n")[2]);
  return { pem, phrase };
}

describe.skipIf(needs("openssh", "sudo"))("no secret of paramiko", () => {
  let service: Service;
  let sshd: Sshd;
  let own: ReturnType<typeof keyPair>;
  let foreign: ReturnType<typeof keyPair>;
  const seen: string[] = [];

  beforeAll(async () => {
    own = keyPair("own");
    foreign = keyPair("foreign");
    const user = ensureUser("patchbay-secrets", { shell: "/bin/bash" });
    canary(user.password);
    allowSudo(user.name, 0);
    sshd = await startSshd({ user, authorizedKeys: [readFileSync(join(folder, "own.pub"), "utf8").trim()] });
    service = await startService({ env: { PATCHBAY_AUTH_FAILURES: "0" } });
  });
  afterAll(async () => {
    await service?.stop();
    await sshd?.stop();
  });

  const target = () => ({ host: sshd.host, port: sshd.port, username: sshd.user });
  const withKey = () => ({ ...target(), pkey: own.pem, passphrase: own.phrase });
  const hop = () => ({ ...target(), password: sshd.password });
  const request = (connection_args: object, more: object = { command: "id -un" }) => ({
    driver: "paramiko",
    connection_args,
    ...more,
  });

  /** Runs it, and collects all output about it. */
  async function runAndKeep(body: object) {
    const job = await service.run(body);
    const { data } = (await service.call("GET", "/audit?limit=50")).body;
    seen.push(JSON.stringify(job), JSON.stringify(data));
    return job;
  }

  test.each<[string, () => object, string]>([
    ["a password", () => request(hop()), "finished"],
    ["a key and its passphrase", () => request(withKey()), "finished"],
    [
      "hops of a list",
      () =>
        request({
          ...withKey(),
          proxy_host: [{ ...target(), pkey: own.pem, passphrase: own.phrase }, hop()],
        }),
      "finished",
    ],
    [
      "a hop of fields",
      () =>
        request({
          ...hop(),
          proxy_host: sshd.host,
          proxy_port: sshd.port,
          proxy_pkey: own.pem,
          proxy_passphrase: own.phrase,
        }),
      "finished",
    ],
    ["a wrong password", () => request({ ...target(), password: canary() }), "failed"],
    [
      "a key that is not known",
      () => request({ ...target(), pkey: foreign.pem, passphrase: foreign.phrase }),
      "failed",
    ],
    ["a wrong passphrase", () => request({ ...target(), pkey: own.pem, passphrase: canary() }), "failed"],
    ["a key that is none", () => request({ ...target(), pkey: canary() }), "failed"],
    [
      "a hop with a wrong password",
      () => request({ ...withKey(), proxy_host: sshd.host, proxy_port: sshd.port, proxy_password: canary() }),
      "failed",
    ],
    ["nobody there", () => request({ ...withKey(), port: 1, password: canary() }), "failed"],
    [
      "a wrong password of sudo",
      () => request(withKey(), { config: "id", driver_args: { sudo: true, sudo_password: canary() } }),
      "failed",
    ],
    [
      "a server that repeats it",
      () => request(hop(), { command: "tee /dev/stderr", driver_args: { input: sshd.password } }),
      "finished",
    ],
  ])("is told of %s", async (_name, body, status) => {
    expect(await runAndKeep(body())).toMatchObject({ status });
  });

  test("appears in rejections and connection tests", async () => {
    const wrong = [
      request({ ...withKey(), port: "no port", password: canary() }),
      request({ ...target(), password: [canary()], proxy_password: { secret: canary() } }),
      request({ ...hop(), proxy_host: [{ host: "not a host", password: canary(), pkey: canary() }] }),
      request(hop(), { config: "id", driver_args: { sudo_password: canary() } }),
    ];
    for (const body of wrong) {
      const answer = await service.call("POST", "/device/execute", body);
      expect(answer.status).toBe(422);
      seen.push(JSON.stringify(answer.body));
    }
    for (const connection of [
      hop(),
      { ...target(), password: canary() },
      { ...target(), pkey: foreign.pem, passphrase: canary() },
    ]) {
      const answer = await service.call("POST", "/device/test-connection", request(connection));
      expect(answer.body.message).toMatch(/^Connection test (completed|failed)$/);
      seen.push(JSON.stringify(answer.body));
    }
  });

  test.each([
    ["a command", (command: string) => ({ command, driver_args: { environment: { API_TOKEN: canary() } } })],
    ["sudo", (config: string) => ({ config, driver_args: { sudo: true, sudo_password: sshd.password } })],
  ])("appears in a process list or on disk while %s runs", async (_name, more) => {
    const work = marker();
    const answer = await service.call<{ id: string }>(
      "POST",
      "/device/execute",
      request({ ...withKey(), password: sshd.password }, more(work.command)),
    );
    await work.seen();
    seen.push(processList(), onDisk(service.dataDir));
    seen.push(JSON.stringify((await service.call("GET", `/job?id=${answer.body.data.id}`)).body));
    seen.push(
      JSON.stringify((await service.call("DELETE", `/job?id=${answer.body.data.id}&force=true`)).body),
    );
    seen.push(JSON.stringify(await service.ended(answer.body.data.id)));
  });

  test("appears in results, log or disk, in any encoding", () => {
    const all = [...seen, service.output(), onDisk(service.dataDir)].join("\n");
    expect(canaries.length).toBeGreaterThan(15);
    expect(all).toContain(sshd.user);
    for (const text of canaries)
      for (const form of [
        text,
        Buffer.from(text).toString("base64"),
        Buffer.from(text).toString("hex"),
        encodeURIComponent(text),
      ])
        expect(all.includes(form), text).toBe(false);
  });
});

function processList(): string {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8");
      } catch {
        return "";
      }
    })
    .join("\n");
}

function onDisk(directory: string): string {
  return filesIn(directory)
    .map((path) => readFileSync(path, "latin1"))
    .join("\n");
}
