/**
 * Roles and persons, for commands: through the API of a service if one is named or logged in to, else in the database
 * of this machine.
 */
import type { Command } from "commander";
import type { PersonRecord, RolePreview, RoleRecord } from "../../../api/access/person.ts";
import { ServiceError } from "../../../base/errors.ts";
import { issueTexts } from "../../../base/issues.ts";
import { readContexts } from "../../../client/input/contexts.ts";
import { exitCodes } from "../../../client/output/outcome.ts";
import type { Terminal } from "../../../client/output/terminal.ts";
import {
  forgotten,
  personList,
  preview,
  roleList,
  storedPerson,
  storedRole,
} from "../../../client/rooms/access.ts";
import { text } from "../../../client/service/answers.ts";
import type { Api } from "../../../client/service/api.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import { loadPersons } from "../../../service/load.ts";
import { actAsOwner } from "../../../service/storage/owner.ts";
import { atCommandLine } from "../../key/actor.ts";
import { configOf, storeSettings, withSettings } from "../../options.ts";
import { clientCommand, openSession, runToExit, type Surroundings, withServer } from "./action.ts";

/** All throw ServiceError as the routes do. */
export interface Directory {
  roles(): Promise<readonly RoleRecord[]>;
  putRole(name: string, body: object): Promise<RoleRecord>;
  removeRole(name: string): Promise<void>;
  preview(body: object): Promise<RolePreview>;
  persons(): Promise<readonly PersonRecord[]>;
  person(name: string): Promise<PersonRecord>;
  block(name: string, blocked: boolean): Promise<PersonRecord>;
  /** @returns the pseudonym */
  forget(name: string): Promise<string>;
}

export interface PlaceFlags extends ServerFlags {
  readonly local?: boolean;
  readonly dataDir?: string;
  readonly databaseUrl?: string;
}

/** A command that works on a service or on this machine. */
export function placedCommand(parent: Command, usage: string, about: string): Command {
  const command = withServer(clientCommand(parent, usage, about));
  return withSettings(command, storeSettings).option(
    "--local",
    "in the database of this machine, also if a server is logged in to",
  );
}

/** @param make on this machine, creates a database that is missing */
export function withDirectory(
  command: Command,
  flags: PlaceFlags,
  work: (directory: Directory, terminal: Terminal) => Promise<void>,
  make = false,
): Promise<never> {
  return runToExit(async (surroundings) => {
    const { terminal } = surroundings;
    if (isRemote(flags, surroundings)) await work(remote(openSession(flags, surroundings).api), terminal);
    else await locally(command, make, (directory) => work(directory, terminal));
    return exitCodes.good;
  });
}

function isRemote(flags: PlaceFlags, { environment }: Surroundings): boolean {
  const { local, dataDir, databaseUrl } = flags;
  if ((flags.url ?? flags.context) !== undefined) return true;
  if (local === true || (dataDir ?? databaseUrl) !== undefined) return false;
  const named = environment.url ?? environment.context ?? readContexts(environment.contextsFile).current;
  return named !== undefined;
}

async function locally(
  command: Command,
  make: boolean,
  work: (directory: Directory) => Promise<void>,
): Promise<void> {
  const config = configOf(command);
  const { withPersons } = await loadPersons(config.values.data_dir, make);
  actAsOwner(config.values.data_dir);
  const bodyOf = (value: object) => ({ text: JSON.stringify(value), value });
  const done = withPersons(config, atCommandLine(), make, (admin, operator) =>
    work({
      roles: () => admin.listRoles(operator),
      putRole: async (name, body) => (await admin.putRole(name, bodyOf(body), operator)).role,
      removeRole: (name) => admin.removeRole(name, operator),
      preview: (body) => admin.previewRole(bodyOf(body), operator),
      persons: () =>
        pages(async (after) => {
          const { persons, next } = await admin.listPersons(operator, pageSize, after);
          return { data: persons, cursor: next };
        }),
      person: (name) => admin.readPerson(name, operator),
      block: (name, blocked) => admin.changePerson(name, bodyOf({ blocked }), operator),
      forget: async (name) => (await admin.forgetPerson(name, operator)).name,
    }),
  );
  // As the client tells the issues in an answer of the service.
  await done.catch((error: unknown) => {
    const issues = issueTexts(error);
    throw issues.length > 0 ? new ServiceError("Validation", issues.join("\n")) : error;
  });
}

function remote(api: Api): Directory {
  const roleAt = (name: string) => `/role/${encodeURIComponent(name)}`;
  const personAt = (name: string) => `/person/${encodeURIComponent(name)}`;
  return {
    roles: () => api.call("/role", roleList),
    putRole: (name, body) => api.call(roleAt(name), storedRole, { method: "PUT", body }),
    async removeRole(name) {
      await api.call(roleAt(name), text, { method: "DELETE" });
    },
    preview: (body) => api.call("/role/preview", preview, { method: "POST", body }),
    persons: () => pages((cursor) => api.page("/person", personList, { query: { limit: pageSize, cursor } })),
    person: (name) => api.call(personAt(name), storedPerson),
    block: (name, blocked) => api.call(personAt(name), storedPerson, { method: "PATCH", body: { blocked } }),
    forget: async (name) => (await api.call(`${personAt(name)}/forget`, forgotten, { method: "POST" })).name,
  };
}

const pageSize = 500;

async function pages<T>(
  read: (
    cursor: string | undefined,
  ) => Promise<{ readonly data: readonly T[]; readonly cursor?: string | undefined }>,
): Promise<T[]> {
  const all: T[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await read(cursor);
    all.push(...page.data);
    cursor = page.cursor;
    if (cursor === undefined) return all;
  }
}
