/** BIRD, configured in a file that the user of an sshd may read. */
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { addNetwork } from "./network.ts";
import { behindSshd, linuxUser, type Sshd, startSshd } from "./openssh.ts";
import { appears, launchProcess, makeFolder } from "./process.ts";
import { run } from "./run.ts";

export interface Bird extends Sshd {
  /** Path of the configuration. */
  readonly file: string;
  configuration(): string;
  /** Writes the file and has the daemon read it. @throws with the words of birdc if it does not take it */
  configure(text: string): void;
  /** What its command line says. */
  birdc(...words: string[]): string;
}

export async function startBird(configuration: string): Promise<Bird> {
  const folder = makeFolder("bird");
  const file = join(folder.path, "bird.conf");
  const socket = join(folder.path, "bird.ctl");
  writeFileSync(file, configuration);
  chmodSync(file, 0o640);
  run(["chown", `root:${linuxUser().name}`, file], { mustSucceed: true });
  const network = addNetwork();
  const command = ["/usr/sbin/bird", "-f", "-c", file, "-s", socket, "-P", join(folder.path, "bird.pid")];
  const daemon = launchProcess({ command: network.inside("bird", command) });
  const stopDaemon = async () => {
    await daemon.stop();
    network.remove();
    folder.remove();
  };
  return behindSshd(stopDaemon, async () => {
    await appears(socket, daemon);
    const sshd = await startSshd();
    const birdc = (...words: string[]) => {
      const { stdout, stderr } = run(["/usr/sbin/birdc", "-s", socket, ...words]);
      return stdout + stderr;
    };
    return {
      ...sshd,
      file,
      birdc,
      configuration: () => readFileSync(file, "utf8"),
      configure(text) {
        writeFileSync(file, text);
        const said = birdc("configure");
        if (!/^Reconfigur(?:ed|ation in progress)$/m.test(said)) throw new Error(said);
      },
    };
  });
}
