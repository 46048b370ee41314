/** What a simulated device has beside its configuration: files, the system that it runs, and a login that lines change. */
import { createHash } from "node:crypto";
import type { ServerChannel } from "../../device/ssh/ssh2.ts";
import type { Reaction } from "./reaction.ts";

export interface SystemOptions {
  /** How long it answers nothing while it reloads. */
  readonly reloadMs: number;
  /** Whether the hash of a file that arrives is another one, as of one that was cut. */
  readonly damages?: boolean;
  /** Lines that it does not take, as a policy of passwords does not. */
  readonly refuses?: RegExp;
}

export interface DeviceSystem {
  /** By name, without `flash:`. */
  readonly files: Map<string, Buffer>;
  /** Name of the file that it runs. */
  readonly image: string;
  /** Reloads that it has made. */
  readonly reloads: number;
  run(line: string): Reaction | undefined;
  /** `show version` of the system that it runs. */
  version(recorded: string): string;
}

interface SystemTools {
  /** Lines of the startup configuration. */
  startup(): readonly string[];
  isModified(): boolean;
  /** It closes all sessions, and begins with the startup configuration. */
  restart(): void;
}

const firstImage = "c3750e-universalk9-mz.152-4.E8.bin";
const bytes = 122_185_728;

export function createDeviceSystem(tools: SystemTools): DeviceSystem {
  const files = new Map([[firstImage, Buffer.from("the system that it came with")]]);
  let image = firstImage;
  let reloads = 0;

  const directory = () => {
    const rows = [...files].map(
      ([name, { length }], at) =>
        `${String(at + 2).padStart(5)}  -rwx  ${String(length).padStart(12)}   Mar 1 1993 00:11:57 +00:00  ${name}`,
    );
    const used = [...files.values()].reduce((sum, { length }) => sum + length, 0);
    return `Directory of flash:/\n\n${rows.join("\n")}\n\n${bytes} bytes total (${bytes - used} bytes free)`;
  };

  function reload(): Reaction {
    reloads++;
    const wanted = tools
      .startup()
      .flatMap((line) => /^boot system (?:switch all )?flash:\/?(\S+)$/.exec(line.trim())?.[1] ?? [])
      .filter((name) => files.has(name));
    // Without a file that is there it looks for the first one.
    image = wanted[0] ?? [...files.keys()][0] ?? image;
    tools.restart();
    return { output: "", closes: true };
  }

  const confirm = (): Reaction => ({
    output: "",
    asks: { text: "Proceed with reload? [confirm]", hidden: false, key: true, answered: reload },
  });

  return {
    files,
    get image() {
      return image;
    },
    get reloads() {
      return reloads;
    },
    version: (recorded) =>
      recorded.replace(/Version 15\.2\(4\)E8/, `Version ${versionOf(image)}`).replace(firstImage, image),
    run(line) {
      if (/^dir(?: flash:\/?)?$/.test(line)) return { output: directory() };
      if (line === "reload") {
        if (!tools.isModified()) return confirm();
        const asks = { text: "\r\nSystem configuration has been modified. Save? [yes/no]: ", hidden: false };
        return { output: "", asks: { ...asks, answered: confirm } };
      }
      const verified = /^verify \/md5 flash:\/?(\S+)$/.exec(line)?.[1];
      if (verified === undefined) return undefined;
      const content = files.get(verified);
      if (content === undefined)
        return { output: `%Error verifying flash:/${verified} (No such file or directory)` };
      const md5 = createHash("md5").update(content).digest("hex");
      return { output: `${".".repeat(12)}Done!\nverify /md5 (flash:/${verified}) = ${md5}` };
    },
  };
}

/** `152-4.E10` in the name is 15.2(4)E10. */
function versionOf(image: string): string {
  const [, major = "", minor = "", build = "", train = ""] =
    /\.(\d\d)(\d)-(\d+)\.(\w+)\.bin$/.exec(image) ?? [];
  return major === "" ? image : `${major}.${minor}(${build})${train}`;
}

/** `scp -t`: one file. */
export function receiveFile(
  channel: ServerChannel,
  command: string,
  { files }: DeviceSystem,
  { damages = false }: SystemOptions,
): void {
  const name = /^scp (?:-\w+ )*-t (?:-- )?'?(?:flash:)?\/?([^'/]+)'?$/.exec(command)?.[1];
  const end = (status: number) => {
    channel.exit(status);
    channel.end();
  };
  if (name === undefined) {
    channel.write("\x01scp: no such command\n");
    end(1);
    return;
  }
  let received = Buffer.alloc(0);
  let size: number | undefined;
  channel.write("\0");
  channel.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    if (size === undefined && received.includes(0x0a)) {
      const head = received.subarray(0, received.indexOf(0x0a)).toString();
      received = received.subarray(head.length + 1);
      size = Number(head.split(" ")[1]);
      channel.write("\0");
    }
    if (size === undefined || received.length <= size) return;
    const whole = received.subarray(0, size);
    files.set(name, damages ? Buffer.concat([whole, Buffer.from("!")]) : Buffer.from(whole));
    channel.write("\0");
    end(0);
  });
}
