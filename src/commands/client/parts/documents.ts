/** Stored documents with versions, as recipes and templates: printed so that they can be put again, and put. */
import type { Command } from "commander";
import { readObject } from "../../../client/input/input.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import { clockTime } from "../jobs/jobs.ts";
import { clientCommand, type Session, withApi, withServer } from "./action.ts";

interface StoredDocument {
  readonly name: string;
  readonly version: number;
  readonly changed_at: string;
  readonly changed_by: string;
  readonly source?: string | undefined;
  readonly revision?: string | undefined;
}

type Api = Session["api"];

interface DocumentKind {
  readonly command: Command;
  /** What it is, with its article. */
  readonly what: string;
  /** What holds for a version that is written. */
  readonly ifSound?: string;
  /** Reads or writes the one of this name. */
  readonly call: (api: Api, name: string, options: Parameters<Api["call"]>[2]) => Promise<StoredDocument>;
}

export function defineShowAndPut({ command, what, ifSound = "", call }: DocumentKind): void {
  withServer(clientCommand(command, "show <name>", `print ${what} as it can be put again (JSON)`))
    .option("--version <number>", "an earlier version")
    .action((name: string, flags: ServerFlags & { readonly version?: string }) =>
      withApi(flags, async ({ api, terminal }) => {
        const record = await call(api, name, { query: { version: flags.version } });
        const { name: _, version, changed_at, changed_by, source, revision, ...document } = record;
        await terminal.write(`${JSON.stringify(document, undefined, 2)}\n`);
        const from = source === undefined ? "" : `, from the source ${source} ${revision ?? ""}`.trimEnd();
        terminal.note(`Version ${version}, ${clockTime(changed_at)} by ${changed_by}${from}.`);
      }),
    );
  const about = `create ${what}, or write its next version${ifSound} (YAML, JSON, -)`;
  withServer(clientCommand(command, "put <name> <file>", about))
    .option("--if-version <number>", "only if this version is in force")
    .action((name: string, file: string, flags: ServerFlags & { readonly ifVersion?: string }) =>
      withApi(flags, async ({ api, terminal }) => {
        const { ifVersion } = flags;
        const headers: Record<string, string> =
          ifVersion === undefined ? {} : { "If-Match": JSON.stringify(ifVersion) };
        const { version } = await call(api, name, { method: "PUT", body: readObject(file), headers });
        terminal.note(`${name} has the version ${version} now.`);
      }),
    );
}
