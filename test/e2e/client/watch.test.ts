/** GET /job/{id}/events: states in order, live output without secrets, and a resumed stream. */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import { programOf, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { said, statuses, watch } from "../jobs/events.ts";

const [program, ...begin] = programOf();

/** Prints a step whenever the gate file contains a higher number, and its password in two halves. */
const driver = (gate: string) => `
import { readFileSync } from "node:fs";
import { defineDriver, secret, v } from "patchbay/plugin";
const steps = () => Number(readFileSync(${JSON.stringify(gate)}, "utf8"));
export default defineDriver({
  name: "talker", strategy: "fifo", target: ({ host }) => ({ host, port: 1 }),
  connection: v.object({ host: v.string(), password: secret(v.string()) }),
  query: v.object({}), repeatable: () => true,
  async open({ connection }) {
    const word = connection.password.reveal();
    return {
      async query(command, _args, ctx) {
        for (let step = 1; step <= 3; step++) {
          while (steps() < step) { ctx.signal.throwIfAborted(); await new Promise((done) => setTimeout(done, 20)); }
          ctx.output("step " + step + " of " + word.slice(0, 5));
          await new Promise((done) => setTimeout(done, 150));
          ctx.output(word.slice(5) + "\\r\\n");
        }
        return "done";
      },
    };
  },
});`;

describe("a driver from a plugin folder", () => {
  const folder = tempFolder();
  const gate = join(folder, "gate");
  const password = "canary-in-two-halves";
  let service: Service;
  beforeAll(async () => {
    writeFileSync(join(folder, "talker.mjs"), driver(gate));
    service = await startService({ plugins: [folder] });
  });
  afterAll(() => service.stop());

  async function submit(): Promise<string> {
    writeFileSync(gate, "0");
    const { body } = await service.call<{ id: string }>("POST", "/device/execute", {
      driver: "talker",
      connection_args: { host: "talker.test", password },
      command: "talk",
    });
    return body.data.id;
  }
  const go = (step: number) => writeFileSync(gate, String(step));

  test("streams live output without its password until the job ends", async () => {
    const id = await submit();
    const events = await watch(service, id, (seen) => {
      // Each step was released after the previous one was seen, so all of them were live.
      const seenSteps = [1, 2, 3].filter((step) => said(seen).includes(`step ${step} of [secret]\n`)).length;
      if (statuses(seen).includes("running")) go(seenSteps + 1);
      return false;
    });
    expect(statuses(events).filter((status) => status !== "queued")).toEqual(["running", "finished"]);
    expect(said(events)).toBe("step 1 of [secret]\nstep 2 of [secret]\nstep 3 of [secret]\n");
    expect(events.at(-1)).toMatchObject({ event: "state", data: { status: "finished" } });
  });

  test("resumes an interrupted stream where it ended", async () => {
    const id = await submit();
    go(1);
    const before = await watch(service, id, (seen) => said(seen).includes("step 1 of [secret]\n"));
    const last = before.at(-1)?.id ?? "";
    go(3);
    const after = await watch(service, id, undefined, { "Last-Event-ID": last });
    expect(said(before) + said(after)).toBe("step 1 of [secret]\nstep 2 of [secret]\nstep 3 of [secret]\n");
  });

  test("an ended job streams only its status", async () => {
    const id = await submit();
    go(3);
    await watch(service, id);
    expect(await watch(service, id)).toEqual([
      {
        id: expect.stringContaining(id.slice(-8)),
        event: "state",
        data: {
          ...{ id, host: "talker.test", status: "finished", attempt: 1, at: expect.any(String) },
          submitted_by: { kind: "key", name: "configured" },
        },
      },
    ]);
  });

  test("a disconnecting reader does not affect others", async () => {
    const id = await submit();
    for (let reader = 0; reader < 20; reader++) await watch(service, id, (seen) => statuses(seen).length > 0);
    go(3);
    expect(statuses(await watch(service, id)).at(-1)).toBe("finished");
    expect(readFileSync(gate, "utf8")).toBe("3");
  });

  test.each([
    ["an unknown job", "none", {}, 404],
    ["a position that no stream gave", undefined, { "Last-Event-ID": "x" }, 400],
  ])("rejects %s", async (_name, job, headers, status) => {
    const id = job ?? (await submit());
    go(3);
    const answer = await service.call("GET", `/job/${id}/events`, undefined, headers);
    expect(answer).toMatchObject({ status, body: { code: -1 } });
  });

  test("hides the job from a key that may not reach the device", async () => {
    const id = await submit();
    go(3);
    const made = spawnSync(
      program,
      [...begin, "key", "add", "elsewhere", "--scope", "operate", "--hosts", "other.test"],
      { encoding: "utf8", env: { PATH: process.env.PATH, PATCHBAY_DATA_DIR: service.dataDir } },
    );
    const key = made.stdout.trim();
    expect(key).not.toBe("");
    const answer = await service.call("GET", `/job/${id}/events`, undefined, { "X-API-KEY": key });
    expect(answer.status).toBe(404);
  });
});

describe.skipIf(needs("openssh"))("bash over OpenSSH", () => {
  let service: Service;
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await startSshd();
    service = await startService();
  });
  afterAll(async () => {
    await service.stop();
    await sshd.stop();
  });

  test("streams a command's output while it runs, and terminal output without colours", async () => {
    const gate = `${sshd.folder}/gate`;
    const { body } = await service.call<{ id: string }>("POST", "/device/execute", {
      driver: "netmiko",
      connection_args: {
        device_type: "linux",
        host: sshd.host,
        port: sshd.port,
        username: sshd.user,
        password: sshd.password,
      },
      command: `printf '\\033[31mred-%s\\033[0m\\n' one; while [ ! -e ${gate} ]; do sleep 0.05; done; echo red-two`,
    });
    const events = await watch(service, body.data.id, (seen) => {
      if (said(seen).includes("\nred-one\n")) writeFileSync(gate, "");
      return false;
    });
    expect(said(events)).toContain("\nred-one\n");
    expect(said(events)).not.toContain("\x1b");
    expect(statuses(events).at(-1)).toBe("finished");
  });
});
