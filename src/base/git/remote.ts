/** How git reaches a remote repository: the checked address, the login, the host keys; nothing secret in arguments. */
import { ServiceError } from "../errors.ts";
import { type GitSetting, gitSettings } from "./git.ts";

export interface GitRemoteOptions {
  /** `https:` or `ssh:`. */
  readonly url: string;
  /** Whether the certificate of the server must be valid. */
  readonly verify: boolean;
  /** Files with certificates of authorities beside the machine's: its own CA. */
  readonly authorities?: string | undefined;
  readonly login: { readonly username?: string | undefined; readonly token?: string | undefined };
  /** Resolves a name to the address that may be dialled. @throws ServiceError */
  readonly resolveHost: (hostname: string) => Promise<string>;
  readonly ssh: { readonly knownHosts: readonly string[]; readonly agentSocket?: string | undefined };
  /** Masks a text that was made of a secret. */
  readonly hide: (secret: string) => void;
}

export interface GitRemote {
  /** The URL as it was checked: as written, git might read another host from it. */
  readonly address: string;
  /** For `GitOptions.env`. */
  readonly env: Readonly<Record<string, string>>;
}

/** @throws ServiceError Forbidden, HostUnreachable */
export async function gitRemote(options: GitRemoteOptions): Promise<GitRemote> {
  const target = new URL(options.url);
  if (target.protocol === "ssh:") return sshRemote(target, options);
  if (target.protocol === "https:") return httpsRemote(target, options);
  throw new ServiceError("Forbidden", `The scheme ${target.protocol} is not allowed.`);
}

async function sshRemote(target: URL, { resolveHost, ssh }: GitRemoteOptions): Promise<GitRemote> {
  const address = await resolveHost(target.hostname);
  const { knownHosts, agentSocket } = ssh;
  const command = [
    "ssh -F none -o BatchMode=yes -o StrictHostKeyChecking=yes -o ProxyCommand=none -o ConnectTimeout=20",
    "-o ServerAliveInterval=15 -o ServerAliveCountMax=4",
    `-o ${quoted(`HostName=${address}`)} -o ${quoted(`HostKeyAlias=${knownAs(target)}`)}`,
    ...(knownHosts.length > 0 ? [`-o ${quoted(`UserKnownHostsFile=${knownHosts.join(" ")}`)}`] : []),
  ].join(" ");
  const agent: Record<string, string> = agentSocket === undefined ? {} : { SSH_AUTH_SOCK: agentSocket };
  return { address: target.href, env: { GIT_SSH_COMMAND: command, ...agent } };
}

async function httpsRemote(target: URL, options: GitRemoteOptions): Promise<GitRemote> {
  const { resolveHost, verify, authorities, login, hide } = options;
  const address = await resolveHost(target.hostname);
  const port = target.port === "" ? "443" : target.port;
  const urlHost = address.includes(":") ? `[${address}]` : address;
  const settings: GitSetting[] = [
    // Pins the checked address.
    ["http.curloptResolve", `${target.hostname}:${port}:${urlHost}`],
    ["http.sslVerify", String(verify)],
    ...(authorities === undefined ? [] : [["http.sslCAInfo", authorities] as const]),
  ];
  if (login.token !== undefined) {
    const user = login.username ?? (target.username || "git");
    const basic = Buffer.from(`${user}:${login.token}`).toString("base64");
    hide(basic);
    settings.push([`http.${target.origin}/.extraHeader`, `Authorization: Basic ${basic}`]);
  }
  return { address: target.href, env: gitSettings(settings) };
}

/** The host as it appears in known_hosts. */
export function knownAs({ hostname, port }: URL): string {
  const name = hostname.replace(/^\[(.*)\]$/, "$1");
  return port === "" || port === "22" ? name : `[${name}]:${port}`;
}

const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;
