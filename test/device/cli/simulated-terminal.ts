/** A simulated in-memory device with terminals for sessions; it delays and fragments its output. */
import { openCliSession } from "../../../src/device/cli/session.ts";
import type { CliSession } from "../../../src/plugin/kit/cli.ts";
import { loadAnswers } from "../../../src/testkit/simulator/answers.ts";
import { createDevice, type Device } from "../../../src/testkit/simulator/device.ts";
import { type Faults, withFaults } from "../../../src/testkit/simulator/faults.ts";
import { createTerminal } from "../../../src/testkit/simulator/terminal/terminal.ts";
import { createTerminalSession } from "../../../src/testkit/simulator/terminal/terminal-session.ts";
import type { Thinking } from "../../../src/testkit/simulator/terminal/thinking.ts";
import { platformNamed } from "../../testkit/simulator/simulated-device.ts";
import { type FakeStream, fakeStream } from "./fake-stream.ts";
import { openOptions } from "./open-options.ts";
import { testContext } from "./test-context.ts";

export interface SimulatedTerminal {
  readonly device: Device;
  /** Lines entered by all sessions, in order. */
  readonly entered: string[];
  open(): Promise<{ cli: CliSession; stream: FakeStream }>;
}

export interface TerminalOptions {
  readonly thinking?: Thinking;
  readonly faults?: Faults;
  readonly minuteMs?: number;
  /** In addition to those of the platform. */
  readonly answers?: Readonly<Record<string, string>>;
  /** Lines that it rejects. */
  readonly refuses?: RegExp;
}

export function simulatedTerminal(
  name: string,
  { thinking = 0, faults = {}, minuteMs = 60_000, answers = {}, refuses }: TerminalOptions = {},
): SimulatedTerminal {
  const platform = platformNamed(name);
  const transcripts = new Map([...loadAnswers(platform, undefined), ...Object.entries(answers)]);
  const device = createDevice({ platform, hostname: "R1", secret: "", answers: transcripts, minuteMs });
  const entered: string[] = [];

  function streamOf(): FakeStream {
    const stream: FakeStream = fakeStream((text) => terminal.type(text));
    const line = withFaults({ write: stream.feed, close: () => stream.lose() }, faults, 0);
    const session = createTerminalSession(device);
    const terminal = createTerminal({
      platform,
      session: {
        ...session,
        enter: (text) => (refuses?.test(text) ? { output: device.refusal } : session.enter(text)),
      },
      rows: 1000,
      thinking,
      write: line.write,
      entered: (text) => void entered.push(text),
      close: line.close,
    });
    terminal.start("");
    return {
      ...stream,
      lose(error) {
        terminal.stop();
        stream.lose(error);
      },
      destroy() {
        terminal.stop();
        stream.destroy();
      },
    };
  }

  return {
    device,
    entered,
    async open() {
      const stream = streamOf();
      const options = openOptions(stream, { platform, readTimeoutMs: 30_000, openTimeoutMs: 30_000 });
      return { cli: await openCliSession(options, testContext()), stream };
    },
  };
}
