/** `device_type` "autodetect": identifies the platform by the device's answers in a generic session. */

import type { CliSession, Context, Detection, PlatformPlugin, Question } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";
import type { Connection, Tools } from "./connection.ts";
import { targetOf } from "./target.ts";

/** Whether the platform must be detected. */
export function isOpen({ deviceType }: Connection): boolean {
  return /^autodetect(?:_ssh|_telnet)?$/.test(deviceType);
}

/** A device rejects an unknown command at once, so a silent one is not awaited long. */
const answerMs = 5_000;

interface PlatformCheck extends Detection {
  readonly platform: string;
}

/**
 * Detects the platform name. Logs in once, tries the commands that identify the most platforms first, and stops at the
 * first unambiguous answer.
 * @throws PluginError DriverError if no platform matches
 */
export async function detectPlatform(kit: Tools, connection: Connection, ctx: Context): Promise<string> {
  const checksByCommand = byCommand(kit.platforms().flatMap(checksOf));
  const target = await targetOf(kit, connection);
  const login = everyLogin(target.platform.login ?? [], kit.platforms());
  const cli = await kit.cli.open({ ...target, platform: { ...target.platform, login } }, ctx);
  let vague: string | undefined;
  try {
    for (const [command, checks] of checksByCommand) {
      const answer = await ask(cli, command, ctx);
      const matches = checks.filter(({ says }) => says.test(answer));
      const clear = matches.find((candidate) => candidate.vague !== true);
      if (clear !== undefined) return clear.platform;
      vague ??= matches[0]?.platform;
    }
  } finally {
    await cli.close();
  }
  if (vague !== undefined) return vague;
  throw new PluginError(
    "DriverError",
    `The platform of ${connection.host} was not recognised: set device_type. Commands tried: ${checksByCommand.map(([command]) => `\`${command}\``).join(", ")}.`,
  );
}

/**
 * The login questions of all platforms. A general pattern of one must not answer the question of another: refusals come
 * first, so that nobody's password is changed, then keys, then consent. Credentials are given to the questions of the
 * generic platform only.
 */
export function everyLogin(
  own: readonly Question[],
  platforms: readonly PlatformPlugin[],
): readonly Question[] {
  const others = platforms
    .flatMap(({ login = [] }) => login)
    .filter(({ reply }) => !/\{(?:username|password)\}/.test(reply));
  const isRefusal = ({ reply }: Question) => /^n/i.test(reply) || reply === "\x03";
  const isConsent = ({ reply }: Question) => /^y/i.test(reply);
  return [
    ...own,
    ...others.filter(isRefusal),
    ...others.filter((one) => !isRefusal(one) && !isConsent(one)),
    ...others.filter(isConsent),
  ];
}

function checksOf({ name, detect }: PlatformPlugin): PlatformCheck[] {
  return (detect ?? []).map((rule) => ({ ...rule, platform: name }));
}

/** Commands that identify more platforms come first. */
function byCommand(checks: readonly PlatformCheck[]): [string, PlatformCheck[]][] {
  const commands = new Map<string, PlatformCheck[]>();
  for (const check of checks) commands.set(check.send, [...(commands.get(check.send) ?? []), check]);
  return [...commands].sort(([, a], [, b]) => b.length - a.length);
}

/** The answer to an unknown command matches no pattern, so refusals need no special case. */
function ask(cli: CliSession, command: string, ctx: Context): Promise<string> {
  return cli.send(command, { readTimeoutMs: answerMs, verifyEcho: false }, ctx);
}
