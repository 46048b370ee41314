/** What an SSH remote of git needs: the server's key, compared with known fingerprints, and a key that only an agent holds. */
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ServiceError } from "../errors.ts";
import { type CollectedGit, runBeside } from "./git.ts";
import { knownAs } from "./remote.ts";

const scanSeconds = 20;

/**
 * Asks the server for its keys and writes those that are known as a known_hosts file; the connection then accepts no
 * other key.
 * @param known fingerprints: `SHA256:…`
 * @returns the path of the file
 * @throws ServiceError HostKeyMismatch with the fingerprints that the server showed, HostUnreachable
 */
export async function writeKnownHost(
  target: URL,
  address: string,
  known: readonly string[],
  how: Omit<CollectedGit, "maxOutput">,
): Promise<string> {
  const port = target.port === "" ? "22" : target.port;
  const command = ["ssh-keyscan", "-T", String(scanSeconds), "-p", port, "--", address];
  // Its exit status says little: it may have got some keys.
  const printed = await runBeside(command, { ...how, maxOutput: 64 * 1024, alsoEnds: [1] });
  const shown = printed.split("\n").flatMap((line) => {
    const [host = "", type = "", blob = ""] = line.split(" ");
    return host.startsWith("#") || blob === "" ? [] : [{ type, blob, fingerprint: fingerprintOf(blob) }];
  });
  if (shown.length === 0)
    throw new ServiceError(
      "HostUnreachable",
      `${target.host} shows no SSH host key: it is not reached, or no SSH server.`,
    );
  const accepted = shown.filter(({ fingerprint }) => known.includes(fingerprint));
  if (accepted.length === 0) throw refusal(target.host, shown, known.length > 0);
  const path = join(how.folder, "known_hosts");
  const name = knownAs(target);
  await writeFile(path, accepted.map(({ type, blob }) => `${name} ${type} ${blob}\n`).join(""), {
    mode: 0o600,
  });
  return path;
}

function refusal(
  host: string,
  shown: readonly { type: string; fingerprint: string }[],
  isChanged: boolean,
): ServiceError {
  const keys = shown.map(({ type, fingerprint }) => `${type} ${fingerprint}`).join(", ");
  const what = isChanged ? "does not match the known one" : "is not known";
  const text = `The host key of ${host} ${what}. It shows ${keys}: compare that with the server, and give it as host_key.`;
  return new ServiceError("HostKeyMismatch", text, { outcome: "none" });
}

function fingerprintOf(blob: string): string {
  return `SHA256:${createHash("sha256").update(Buffer.from(blob, "base64")).digest("base64").replace(/=+$/, "")}`;
}

/** A private key that is given to an agent of the run alone: it is never written to a file. */
export interface SshKey {
  /** PEM or OpenSSH format. */
  readonly pem: string;
  readonly passphrase?: string | undefined;
}

const passphraseName = "PATCHBAY_PASSPHRASE";

/** For the options of a run: it gets the key on its input, and nothing else. */
export async function withSshKey({ pem, passphrase }: SshKey, folder: string) {
  const asks = passphrase === undefined ? {} : await answering(passphrase, folder);
  const forget = `unset ${passphraseName} SSH_ASKPASS SSH_ASKPASS_REQUIRE`;
  return {
    within: ["ssh-agent", "/bin/sh", "-c", `ssh-add -q - || exit 3; ${forget} && exec "$0" "$@" < /dev/null`],
    // ssh-add wants a line end at the end.
    input: `${pem.trimEnd()}\n`,
    env: asks,
  };
}

/**
 * The passphrase is in the environment, which other users cannot read, not in the script. It answers an
 * ssh-add once, which would ask for ever.
 */
async function answering(passphrase: string, folder: string): Promise<Record<string, string>> {
  const script = join(folder, "askpass");
  await writeFile(script, `#!/bin/sh\nmkdir "$0.$PPID" || exit 1\nprintf '%s\\n' "$${passphraseName}"\n`, {
    mode: 0o700,
  });
  return { SSH_ASKPASS: script, SSH_ASKPASS_REQUIRE: "force", [passphraseName]: passphrase };
}
