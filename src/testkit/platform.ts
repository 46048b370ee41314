/**
 * Test suite for platforms: the definition compiles, and the service reads, configures and saves its simulated device.
 */
import { strict as assert } from "node:assert";
import type { JobRecord } from "../api/jobs/job.ts";
import { compilePlatform } from "../device/cli/platform.ts";
import type { PlatformPlugin, PrivilegeLevel } from "../plugin/platform.ts";
import { type Case, casesOf, shown } from "./case.ts";
import type { SimulatedDevice } from "./device.ts";
import type { Service } from "./service.ts";
import { loadAnswers } from "./simulator/answers.ts";
import { readTranscripts } from "./simulator/transcripts.ts";

export interface PlatformSuiteOptions {
  readonly plugin: PlatformPlugin;
  service(): Service;
  /** `simulate(plugin, { hostname: "edge7" })`, with the same transcripts. */
  device(): SimulatedDevice;
  /** Name of the driver to use. */
  readonly driver: string;
  /** Default 127.0.0.1. */
  host?(): string;
  /** Transcript folder that the device was started with. */
  readonly transcripts?: string;
}

const lines = ["interface Loopback7", "description made by a job"];

/** The cases depend on each other and run in this order. */
export function platformSuite(options: PlatformSuiteOptions): Case[] {
  const { plugin, service, device, driver, transcripts } = options;
  const { simulated } = plugin;
  const [command, answer] = longest([...loadAnswers(plugin, transcripts)]);

  function run(more: object, connection: object = {}): Promise<JobRecord> {
    const { port, username, password, secret } = device();
    return service().run({
      driver,
      connection_args: {
        device_type: plugin.name,
        host: options.host?.() ?? "127.0.0.1",
        port,
        username,
        password,
        secret,
        host_key_policy: "warning",
        ...connection,
      },
      ...more,
    });
  }

  async function finishes(more: object): Promise<JobRecord> {
    const job = await run(more);
    assert.equal(job.result?.error ?? null, null, shown(job));
    return job;
  }

  const wantsPassword = below(plugin.levels, plugin.config ?? plugin.home).some(
    ({ asks, enter }) => asks && enter !== undefined,
  );

  return casesOf([
    {
      name: "the definition compiles, and each level matches its example prompt",
      async run() {
        const { prompts } = compilePlatform(plugin);
        for (const [name, { example }] of Object.entries(plugin.levels)) {
          if (example !== undefined)
            assert.equal(prompts.find(`some output\n${example}`)?.prompt?.level, name, example);
        }
      },
    },
    {
      name: "a long output is returned whole, without prompts and pagers",
      async run() {
        const job = await finishes({ command: [command, command] });
        const text = String(job.result?.retval?.[command]);
        assert.equal(plain(text), plain(answer.replaceAll("{hostname}", "edge7")));
        assert.equal(text, job.result?.retval?.[`${command} #2`]);
      },
    },
    transcripts !== undefined && {
      name: "each transcript is returned as recorded",
      async run() {
        for (const [command, text] of readTranscripts(transcripts)) {
          const job = await finishes({ command });
          const expected = text.replaceAll("{hostname}", "edge7");
          assert.equal(plain(String(job.result?.retval?.[command])), plain(expected), command);
        }
      },
    },
    {
      name: "a push reaches the device once, and is saved",
      async run() {
        await finishes({ config: lines, driver_args: { save: true } });
        const entered = device().commands();
        assert.equal(entered.filter((line) => line === lines[1]).length, 1);
        for (const { send } of plugin.candidate?.commit ?? plugin.save ?? [])
          assert.ok(entered.includes(send), `"${send}" was not sent`);
      },
    },
    {
      name: "a refused line ends the push",
      async run() {
        const job = await run({ config: ["description before", "bogus line", "description never"] });
        if (plugin.errors.length === 0) return;
        assert.equal(job.result?.error?.type, "CommandError", shown(job));
        assert.equal(job.result?.error?.command, "bogus line", shown(job));
        const entered = device().commands();
        assert.ok(!entered.includes("description never"), "what follows was sent");
        for (const { send } of plugin.candidate?.discard ?? [])
          assert.ok(entered.includes(send), `"${send}" was not sent`);
      },
    },
    simulated?.rename !== null && {
      name: "a push that renames the device continues",
      async run() {
        const line = (simulated?.rename ?? "hostname {name}").replace("{name}", "core9");
        await finishes({ config: [line, "description after the name changed"] });
        assert.ok(device().commands().includes("description after the name changed"));
        const again = await finishes({ command });
        assert.ok(!JSON.stringify(again.result?.retval).includes("core9#"), shown(again));
      },
    },
    wantsPassword && {
      name: "a wrong secret fails as AuthenticationFailed and is not shown",
      async run() {
        const job = await run({ config: lines }, { secret: "wrong-canary" });
        assert.equal(job.result?.error?.type, "AuthenticationFailed", shown(job));
        assert.ok(!JSON.stringify(job).includes("canary"), "it is shown");
      },
    },
    {
      name: "the next job works",
      run: async () => void (await finishes({ command })),
    },
  ]);
}

/** The answer with the most pages. */
function longest(answers: readonly [command: string, text: string][]): [command: string, text: string] {
  const lengths = answers.map(([, text]) => text.split("\n").length);
  return answers[lengths.indexOf(Math.max(...lengths))] ?? ["show version", ""];
}

/** The levels that a push passes through. */
function below(levels: PlatformPlugin["levels"], top: string | undefined): PrivilegeLevel[] {
  const level = top === undefined ? undefined : levels[top];
  return level === undefined ? [] : [level, ...below(levels, level.from)];
}

/** Ignores blanks at line ends and around the text. */
function plain(text: string): string {
  return text
    .replace(/\r/g, "")
    .replace(/[ \t]+$/gm, "")
    .trim();
}
