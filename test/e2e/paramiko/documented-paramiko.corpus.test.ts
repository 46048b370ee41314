/** Every paramiko request in NetPulse 0.2's documents, and others that its fields allow, on real OpenSSH. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import { run as runProgram } from "../../../scripts/testbed/run.ts";
import { allowSudo } from "../../../scripts/testbed/sudo.ts";
import { ensureUser } from "../../../scripts/testbed/users.ts";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { type Receiver, startReceiver } from "../../../src/testkit/receiver.ts";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { commandsOf, type Documented, documented } from "../drivers/documented.ts";

const requests = documented("paramiko");
const phrase = "your_key_passphrase";
const result = {
  output: expect.any(String),
  error: expect.any(String),
  exit_status: expect.any(Number),
  duration: expect.any(Number),
};
/** Known responses by command. */
const known: Readonly<Record<string, object>> = {
  "uname -a": { output: expect.stringContaining("Linux"), exit_status: 0 },
  "free -m": { output: expect.stringContaining("Mem:"), exit_status: 0 },
  "df -h": { output: expect.stringContaining("Filesystem"), exit_status: 0 },
  uptime: { output: expect.stringContaining("load average"), exit_status: 0 },
  "echo $CUSTOM_VAR && echo $PATH": {
    output: "custom_value\n/usr/local/bin:/usr/bin:/bin\n",
    exit_status: 0,
  },
  // Nobody enters the password: sudo does not ask here, and finds no such program.
  "sudo -S command": { output: expect.stringContaining("command not found"), exit_status: 1 },
  file_transfer_upload: { transfer_result: { success: true, bytes_transferred: 5, total_bytes: 5 } },
  file_transfer_download: { transfer_result: { success: true, total_bytes: 5 } },
};

describe.skipIf(needs("openssh", "sudo"))("the documented requests", () => {
  const folder = tempFolder();
  let service: Service;
  let receiver: Receiver;
  let sshd: Sshd;
  let jump: Sshd;
  let free: ReturnType<typeof ensureUser>;
  beforeAll(async () => {
    const [plain, locked] = [join(folder, "path/to/plain"), join(folder, "path/to/locked")];
    for (const name of ["path/to", "local"]) mkdirSync(join(folder, name), { recursive: true });
    const make = ["ssh-keygen", "-q", "-t", "rsa", "-b", "2048", "-m", "PEM"];
    runProgram([...make, "-N", "", "-f", plain], { mustSucceed: true });
    runProgram([...make, "-N", phrase, "-f", locked], { mustSucceed: true });
    const authorizedKeys = [plain, locked].map((path) => readFileSync(`${path}.pub`, "utf8").trim());
    sshd = await startSshd({
      user: ensureUser("patchbay-documented", { shell: "/bin/bash" }),
      authorizedKeys,
    });
    jump = await startSshd({ authorizedKeys, config: ["AllowTcpForwarding yes"] });
    free = ensureUser("patchbay-documented-free", { shell: "/bin/bash" });
    allowSudo(sshd.user, 0);
    allowSudo(free.name, 0, { allowed: "NOPASSWD: ALL" });
    writeFileSync(join(folder, "local/file.txt"), "local");
    receiver = await startReceiver(200);
    const roots = {
      PATCHBAY_KEY_ROOTS: join(folder, "path"),
      PATCHBAY_TRANSFER_ROOTS: join(folder, "local"),
    };
    service = await startService({ env: { ...roots, PATCHBAY_URL_ALLOW: "127.0.0.1" } });
  });
  afterAll(async () => {
    await service.stop();
    receiver.close();
    await Promise.all([sshd.stop(), jump.stop()]);
  });

  const login = () => ({ host: sshd.host, port: sshd.port, username: sshd.user, password: sshd.password });

  /** Replaces the documents' placeholders with the testbed's values, and paths that would change this machine. */
  function adapted({ body }: Documented) {
    const args = body.connection_args;
    const encrypted = args.passphrase === phrase;
    const key = join(folder, "path/to", encrypted ? "locked" : "plain");
    const sudoItself = body.command === "sudo -S command";
    const connection_args = {
      ...args,
      ...{ host: sshd.host, port: sshd.port, username: sudoItself ? free.name : sshd.user },
      ...("password" in args ? { password: sudoItself ? free.password : sshd.password } : {}),
      ...("key_filename" in args ? { key_filename: key } : {}),
      ...("pkey" in args ? { pkey: readFileSync(key, "utf8") } : {}),
      ...("proxy_host" in args
        ? { proxy_host: jump.host, proxy_port: jump.port, proxy_username: jump.user }
        : {}),
      ...("proxy_password" in args ? { proxy_password: jump.password } : {}),
      ...("proxy_key_filename" in args ? { proxy_key_filename: join(folder, "path/to/plain") } : {}),
    };
    const work = JSON.stringify({ ...body, connection_args: undefined })
      .replaceAll("your_sudo_password", sshd.password)
      .replaceAll("/local/file.txt", join(folder, "local/file.txt"))
      .replaceAll("/remote/file.txt", join(sshd.folder, "file.txt"))
      .replaceAll("/etc/hostname", join(sshd.folder, "hostname"))
      .replaceAll("/tmp/config.sh", join(sshd.folder, "config.sh"));
    return { ...(JSON.parse(work) as Documented["body"] & { config?: string[] }), connection_args };
  }

  function expectedKeys({
    command,
    config = [],
    driver_args,
  }: ReturnType<typeof adapted>): readonly string[] {
    const transfer = driver_args?.file_transfer as { operation: string } | undefined;
    if (transfer) return [`file_transfer_${transfer.operation}`];
    const end = config.indexOf("EOF");
    if (end < 0)
      return command === undefined ? config : commandsOf({ driver: "", connection_args: {}, command });
    // A here-document is a single command.
    return [config.slice(0, end + 1).join("\n"), ...config.slice(end + 1)];
  }

  function expectResults(job: JobRecord, keys: readonly string[]): void {
    expect(job).toMatchObject({ status: "finished", queue: "fifo", result: { error: null } });
    expect(Object.keys(job.result?.retval ?? {})).toEqual(keys);
    for (const key of keys) {
      const isTransfer = key.startsWith("file_transfer_");
      const { duration: _, ...moved } = result;
      expect(job.result?.retval?.[key]).toMatchObject({ ...(isTransfer ? moved : result), ...known[key] });
    }
  }

  test("are all covered", () => expect(requests.length).toBeGreaterThan(15));

  const of = (path: string) =>
    requests.filter((one) => one.path === path).map((one) => [one.id, one] as const);

  // Must run first: with `reject` the host key must be known.
  test.each(of("/device/test-connection"))("connection test %s", async (_id, one) => {
    const { status, body } = await service.call("POST", one.path, adapted(one));
    expect([status, body.message, body.data]).toMatchObject([
      200,
      "Connection test completed",
      { success: true, device_info: { prompt: `${sshd.user}@${sshd.host}`, device_type: "linux" } },
    ]);
  });

  test.each(of("/device/execute"))("%s", async (_id, one) => {
    const body = adapted(one);
    const job = await service.run(body);
    expectResults(job, expectedKeys(body));
    expect(job.warnings ?? []).toEqual([]);
  });

  test("left their changes on the server", () => {
    expect(readFileSync(join(sshd.folder, "hostname"), "utf8")).toBe("server.example.com\n");
    expect(readFileSync(join(sshd.folder, "config.sh"), "utf8")).toBe(
      "#!/bin/bash\necho 'Configuration script'\n",
    );
    expect(readFileSync(join(sshd.folder, "file.txt"), "utf8")).toBe("local");
  });

  describe("further requests that the fields allow", () => {
    const every = () => ({
      ...login(),
      timeout: 10,
      host_key_policy: "warning",
      look_for_keys: false,
      allow_agent: false,
      compress: true,
      banner_timeout: 15.5,
      auth_timeout: 10,
      key_filename: null,
      pkey: null,
      proxy_host: null,
    });
    const run = (body: object, connection: object = every()) =>
      service.run({ driver: "paramiko", connection_args: connection, ...body });

    test("accepts all connection fields, null values, and a jump host", async () => {
      const args = { timeout: 60, get_pty: false, bufsize: -1, environment: {}, file_transfer: null };
      expectResults(await run({ command: "uname -a", driver_args: args, options: {} }), ["uname -a"]);
      const through = { proxy_host: jump.host, proxy_port: jump.port, proxy_username: jump.user };
      const key = readFileSync(join(folder, "path/to/locked"), "utf8");
      const proxied = { ...every(), ...through, proxy_pkey: key, proxy_passphrase: phrase };
      expectResults(await run({ command: ["uptime", "df -h"] }, proxied), ["uptime", "df -h"]);
      const tested = await service.call("POST", "/device/test-connection", {
        driver: "paramiko",
        connection_args: proxied,
      });
      expect(tested.body.data).toMatchObject({ success: true });
    });

    test("pushes a configuration as one text, with sudo without a password, and rendered", async () => {
      const one = await run({ config: "whoami", driver_args: { sudo: false } });
      expect(one.result?.retval).toMatchObject({ whoami: { output: `${sshd.user}\n` } });
      const asRoot = await run(
        { config: ["whoami", "id -u"], driver_args: { sudo: true } },
        { ...every(), username: free.name, password: free.password },
      );
      expect(asRoot.result?.retval).toMatchObject({
        whoami: { output: "root\n" },
        "id -u": { output: "0\n" },
      });
      const rendered = await run({
        config: { names: ["a", "b"] },
        rendering: { name: "jinja2", template: "{% for n in names %}echo {{ n }}\n{% endfor %}" },
      });
      expect(Object.values(rendered.result?.retval ?? {})).toMatchObject([{ output: "a\nb\n" }]);
    });

    test("ignores arguments of the other operation with a warning", async () => {
      const query = await run({ command: "whoami", driver_args: { sudo: true, sudo_password: "x" } });
      expect(query.result?.retval).toMatchObject({ whoami: { output: `${sshd.user}\n` } });
      expect(query.warnings).toHaveLength(2);
      const transfer = { operation: "upload", local_path: "/local/file.txt", remote_path: "/x" };
      const config = await run({ config: "whoami", driver_args: { file_transfer: transfer } });
      expect(config.warnings).toEqual([expect.stringContaining("driver_args.file_transfer")]);
    });

    test("runs a bulk with parsed output and a webhook", async () => {
      const before = receiver.received.length;
      const options = { webhook: { name: "basic", url: receiver.url }, ttl: 600 };
      const template = "Value SIZE (\\d+)\n\nStart\n  ^Mem:\\s+${SIZE} -> Record\n";
      const answer = await service.call<{ succeeded: { id: string }[]; failed: string[] }>(
        "POST",
        "/device/bulk",
        {
          driver: "paramiko",
          connection_args: { username: sshd.user, password: sshd.password, port: sshd.port },
          devices: [{ host: "127.0.0.1" }, { host: "localhost" }],
          command: "free -m",
          parsing: { name: "textfsm", template },
          options,
        },
      );
      expect(answer.body.data.failed).toEqual([]);
      for (const { id } of answer.body.data.succeeded) {
        const job = await service.ended(id);
        expect(job.result?.retval).toEqual({ "free -m": [{ SIZE: expect.stringMatching(/^\d+$/) }] });
      }
      await receiver.got(before + 2);
    });
  });
});
