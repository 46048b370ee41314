/**
 * An NX-OS switch behind NX-API: running and startup configuration, checkpoint files, SCP; it answers with a
 * delay.
 */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as v from "valibot";
import { pause } from "../../../../src/base/time/deadline.ts";
import { Server as SshServer } from "../../../../src/device/ssh/ssh2.ts";
import { makeKeyPair } from "../../../../src/testkit/simulator/hostkey.ts";

export interface NxosSwitch {
  readonly port: number;
  readonly sshPort: number;
  readonly running: string[];
  readonly startup: string[];
  /** Files on bootflash, by name. */
  readonly files: Map<string, string>;
  /** Commands received, in order. */
  readonly asked: string[];
  /** Applies a failure to the first matching command, once. */
  fail(pattern: RegExp, how: Failure): void;
  /** Replaces NX-API's response to the next requests. */
  answerWith(answer: ((response: ServerResponse) => void) | undefined): void;
  connections(): number;
  close(): void;
}

/** `drop` closes the connection before the command, `cut` after it; a text replaces the response. */
export type Failure =
  | "drop"
  | "cut"
  | { readonly error: string }
  | { readonly text: string }
  | { readonly meanwhile: () => void };

const request = v.array(
  v.object({
    id: v.number(),
    method: v.picklist(["cli", "cli_ascii"]),
    params: v.object({ cmd: v.string() }),
  }),
);

class Refused extends Error {}
class Dropped extends Error {}

interface Session {
  quiet: boolean;
  configures: boolean;
  parent: string;
}

export async function startNxosSwitch({ password }: { readonly password: string }): Promise<NxosSwitch> {
  const running = ["hostname sw1", "interface Ethernet1/1", "interface Ethernet1/1\n  description old"];
  const startup = [...running];
  const files = new Map<string, string>();
  const asked: string[] = [];
  const failures: { pattern: RegExp; how: Failure }[] = [];
  let instead: ((response: ServerResponse) => void) | undefined;
  let connections = 0;

  const nameOf = (file = "") => file.replace(/^bootflash:/, "");
  const contentOf = (lines: readonly string[]) => `!Command: Checkpoint cmd vdc 1\n\n${lines.join("\n\n")}\n`;
  const linesIn = (file: string) => {
    const content = files.get(nameOf(file));
    if (content === undefined) throw new Refused(`No such file or directory (${file})`);
    return content
      .split("\n\n")
      .slice(1)
      .map((unit) => unit.trimEnd());
  };

  function exec(command: string, session: Session): string {
    const [verb, ...rest] = command.split(" ");
    if (command === "show hostname") return "sw1";
    if (command === "terminal dont-ask" || command === "no terminal dont-ask") {
      session.quiet = command === "terminal dont-ask";
      return "";
    }
    if (command.startsWith("show running-config"))
      return `!Time: now\n${running.map((unit) => unit.split("\n").at(-1)).join("\n")}\n`;
    if (command.startsWith("checkpoint file ")) {
      files.set(nameOf(rest[1]), contentOf(running));
      return "Done";
    }
    if (command.startsWith("rollback running-config file ")) {
      const lines = linesIn(rest[2] ?? "");
      const bad = lines.find((line) => /bogus/.test(line));
      if (bad !== undefined) return `Collecting Running-Config\nRollback failed.\n${bad}`;
      running.splice(0, running.length, ...lines);
      return "Collecting Running-Config\nExecuting Rollback Patch\nRollback completed successfully.\n";
    }
    if (command.startsWith("show diff rollback-patch ")) return diff(rest.slice(2));
    if (verb === "dir") {
      if (!files.has(nameOf(rest[0]))) throw new Refused(`No such file or directory (${rest[0]})`);
      return "  100  Nov 22 11:00:00 2026  file";
    }
    if (verb === "delete") {
      if (!session.quiet) throw new Refused("Do you want to delete? (yes/no/abort)");
      if (!files.delete(nameOf(rest[0]))) throw new Refused(`No such file or directory (${rest[0]})`);
      return "";
    }
    if (verb === "move") {
      const content = files.get(nameOf(rest[0]));
      if (content === undefined) throw new Refused("No such file or directory");
      files.delete(nameOf(rest[0]));
      files.set(nameOf(rest[1]), content);
      return "";
    }
    const sum = /^show file (\S+) md5sum$/.exec(command);
    if (sum !== null)
      return createHash("md5")
        .update(files.get(nameOf(sum[1])) ?? "")
        .digest("hex");
    if (command === "copy running-config startup-config") {
      startup.splice(0, startup.length, ...running);
      return "[########################################] 100%\nCopy complete.\n";
    }
    throw new Refused(`% Invalid command at '^' marker.\n${command}`);
  }

  function diff([kind, from, other, to]: readonly string[]): string {
    if (kind !== "file") throw new Refused("Syntax error");
    const before = linesIn(from ?? "");
    const after = other === "running-config" ? running : linesIn(to ?? "");
    const removedLines = before.filter((line) => !after.includes(line)).map((line) => `no ${line.trim()}`);
    const added = after.filter((line) => !before.includes(line));
    const patch = [...removedLines, ...added].join("\n");
    return `Collecting Running-Config\n#Generating Rollback Patch\n${patch === "" ? "Rollback Patch is Empty" : `!!\n${patch}`}\n`;
  }

  function configure(command: string, session: Session): string {
    if (/bogus/.test(command)) throw new Refused(`% Invalid command at '^' marker.\n${command}`);
    const isChild = command.startsWith(" ");
    const unit = isChild && session.parent !== "" ? `${session.parent}\n${command}` : command;
    if (!isChild) session.parent = command;
    const [, kept] = /^\s*no (.*)$/.exec(command) ?? [];
    const name = unit.trim().split(" ")[0];
    if (kept !== undefined)
      running.splice(0, running.length, ...running.filter((line) => !line.includes(kept)));
    else if (name === "hostname") running.splice(0, 1, unit);
    else if (!running.includes(unit)) running.push(unit);
    return "";
  }

  function run(command: string, session: Session): string {
    asked.push(command);
    const at = failures.findIndex(({ pattern }) => pattern.test(command));
    const [failure] = at < 0 ? [] : failures.splice(at, 1);
    const how = failure?.how;
    if (how === "drop") throw new Dropped();
    if (typeof how === "object" && "error" in how) throw new Refused(how.error);
    if (typeof how === "object" && "text" in how) return how.text;
    const configures = session.configures;
    if (command === "configure terminal") session.configures = true;
    const said = configures ? configure(command, session) : session.configures ? "" : exec(command, session);
    if (typeof how === "object") how.meanwhile();
    if (how === "cut") throw new Dropped();
    return said;
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of incoming) body += chunk;
    await pause(15);
    if (instead !== undefined) return instead(response);
    const basic = `Basic ${Buffer.from(`admin:${password}`).toString("base64")}`;
    if (incoming.headers.authorization !== basic) return void response.writeHead(401).end("Unauthorized");
    const session: Session = { quiet: false, configures: false, parent: "" };
    const answers: object[] = [];
    let status = 200;
    for (const { id, method, params } of v.parse(request, JSON.parse(body))) {
      try {
        const said = run(params.cmd, session);
        const told =
          method === "cli" && params.cmd === "show hostname" ? { body: { hostname: said } } : { msg: said };
        answers.push({ jsonrpc: "2.0", id, result: said === "" ? null : told });
      } catch (error) {
        if (error instanceof Dropped) return void incoming.socket.destroy();
        if (!(error instanceof Refused)) throw error;
        status = 500;
        const data = { msg: `${error.message}\n` };
        answers.push({ jsonrpc: "2.0", id, error: { code: -32602, message: "Invalid params", data } });
        break;
      }
    }
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(answers.length === 1 ? answers[0] : answers));
  }

  const server = createServer(
    (incoming, response) =>
      void serve(incoming, response).catch((error) => response.writeHead(500).end(String(error))),
  );
  server.on("connection", () => connections++);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const ssh = await startScp(password, (name, content) => {
    const at = failures.findIndex(({ pattern }) => pattern.test("scp"));
    const [failure] = at < 0 ? [] : failures.splice(at, 1);
    if (failure === undefined) return void files.set(nameOf(name), content);
    if (typeof failure.how === "object" && "error" in failure.how) throw new Refused(failure.how.error);
    files.set(nameOf(name), content.slice(1));
  });
  return {
    port: (server.address() as AddressInfo).port,
    sshPort: ssh.port,
    running,
    startup,
    files,
    asked,
    fail: (pattern, how) => void failures.push({ pattern, how }),
    answerWith: (answer) => {
      instead = answer;
    },
    connections: () => connections,
    close() {
      server.close();
      server.closeAllConnections();
      ssh.close();
    },
  };
}

/** `scp -t`: one file, each part acknowledged. */
async function startScp(password: string, store: (name: string, content: string) => void) {
  const server = new SshServer({ hostKeys: [makeKeyPair().private] }, (client) => {
    client.on("error", () => {});
    client.on("authentication", (request) =>
      request.method === "password" && request.password === password
        ? request.accept()
        : request.reject(["password"]),
    );
    client.on("session", (accept) =>
      accept().on("exec", (acceptExec, _reject, { command }) => {
        const channel = acceptExec();
        const [, name = ""] = /^scp -t (\S+)$/.exec(command) ?? [];
        let received = "";
        channel.write("\0");
        channel.on("data", (chunk: Buffer) => {
          received += chunk.toString("utf8");
        });
        channel.on("end", () => {
          const [, size = "0"] = /^C0600 (\d+) \S+\n/.exec(received) ?? [];
          const content = received.slice(received.indexOf("\n") + 1);
          try {
            store(name, Buffer.from(content).subarray(0, Number(size)).toString());
            channel.write("\0\0");
          } catch (error) {
            channel.write(`\x01scp: ${name}: ${error instanceof Error ? error.message : ""}\n`);
          }
          channel.exit(0);
          channel.end();
        });
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}
