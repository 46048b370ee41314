/** Fetches the text of an inventory source from NetBox, a URL or a Git repository, with a credential by reference. */
import type { Context, HttpKit } from "../plugin/index.ts";
import type { WorkerSettings } from "../protocol/message-port.ts";
import type { SourceTask, TaskValues } from "../protocol/task.ts";
import { type CredentialTools, withCredential } from "./credentials.ts";
import type { CheckAddress } from "./kit/http-address.ts";
import type { TaskMask } from "./masking.ts";
import { readRepository } from "./source-git.ts";
import { type Login, refusal } from "./source-login.ts";
import { readNetbox } from "./source-netbox.ts";

export interface SourceFetcherOptions {
  readonly settings: Pick<WorkerSettings, "templateRoots" | "knownHosts" | "agentSocket">;
  readonly http: HttpKit;
  readonly check: CheckAddress;
  readonly credentials: CredentialTools;
}

const maxBytes = 8 * 1024 * 1024;
const limitMs = 120_000;
const redirects = 3;

export function createSourceFetcher({ settings, http, check, credentials }: SourceFetcherOptions) {
  /** Resolved each time: a sync is rare, and the credential may have changed. */
  async function loginOf({ credential }: SourceTask, ctx: Context, mask: TaskMask): Promise<Login> {
    if (credential === undefined) return {};
    const fields = await withCredential({ credential }, credentials, mask, ctx, true, "credential");
    const text = (...names: string[]) =>
      names.map((name) => fields[name]).find((value) => typeof value === "string");
    const token = text("token", "password", "secret");
    // Whatever its name was at the source.
    mask.add(token, "all");
    return { username: text("username"), token };
  }

  return async (task: SourceTask, ctx: Context, mask: TaskMask): Promise<TaskValues["source"]> => {
    const login = await loginOf(task, ctx, mask);
    if (task.from === "netbox") return readNetbox(task, login, http, ctx);
    if (task.from === "git") {
      const text = await readRepository(
        task,
        login,
        { ...settings, check, addSecret: (secret) => mask.add(secret, "all") },
        ctx,
      );
      return { text, warnings: [] };
    }
    return { text: await readUrl(task, login, http, ctx), warnings: [] };
  };
}

async function readUrl(
  { url, verify }: SourceTask,
  login: Login,
  http: HttpKit,
  ctx: Context,
): Promise<string> {
  const answer = await http.request(
    url,
    { headers: authorization(login), timeoutMs: limitMs, redirects, maxBytes, tls: { verify } },
    ctx,
  );
  if (answer.status === 200) return answer.body;
  throw refusal(new URL(url).host, answer.status);
}

function authorization({ username, token }: Login): Record<string, string> {
  if (token === undefined) return {};
  if (username === undefined) return { Authorization: `Bearer ${token}` };
  return { Authorization: `Basic ${Buffer.from(`${username}:${token}`).toString("base64")}` };
}
