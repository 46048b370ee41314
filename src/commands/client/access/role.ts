/** `patchbay role`: what persons may do, by their groups. */
import type { Command } from "commander";
import { limitsInWords, type RolePreview, type RoleRecord } from "../../../api/access/person.ts";
import { factsText } from "../../../client/output/progress.ts";
import { jsonLine } from "../../../client/output/table.ts";
import type { Terminal } from "../../../client/output/terminal.ts";
import { hostsOf } from "../../key/add.ts";
import { credentialsAbout, listOf, recipesAbout, rightsAbout } from "../../key/lists.ts";
import { type Columns, type FormFlags, printList, withForms } from "../parts/lists.ts";
import { type PlaceFlags, placedCommand, withDirectory } from "../parts/persons.ts";
import { confirmRemoval, type RemovalFlags, withConfirmation } from "../parts/removal.ts";

interface WhoFlags {
  readonly group?: readonly string[];
  readonly issuer?: string;
}

interface PutFlags extends PlaceFlags, WhoFlags {
  readonly scope: string;
  readonly subject?: readonly string[];
  readonly position?: string;
  readonly hosts?: string;
  readonly select?: string;
  readonly credentials?: string;
  readonly rights?: string;
  readonly recipes?: string;
}

interface PreviewFlags extends PlaceFlags, WhoFlags {
  readonly person?: string;
  readonly subject?: string;
  readonly json?: boolean;
}

const columns: Columns<RoleRecord> = {
  position: ({ position }) => String(position),
  name: ({ name }) => name,
  scope: ({ scope }) => scope,
  hosts: ({ hosts }) => hosts.join(" ") || "all",
  credentials: ({ credentials }) => (credentials === null ? "" : credentials.join(" ") || "none"),
  rights: ({ rights }) => rights.join(" "),
  recipes: ({ recipes }) => (recipes === null ? "" : recipes.join(" ") || "none"),
  groups: ({ groups }) => groups.join(" "),
  subjects: ({ subjects }) => subjects.join(" "),
  issuer: ({ issuer }) => issuer ?? "",
};

const groupAbout = "a group, as the provider names it; several times for several";

export function defineRole(parent: Command): void {
  const command = parent.command("role").description("what persons may do, by their groups");
  withForms(placedCommand(command, "list", "list roles, in the order in which they count")).action(
    (flags: PlaceFlags & FormFlags, command: Command) =>
      withDirectory(command, flags, async ({ roles }, terminal) =>
        printList(await roles(), columns, flags, terminal),
      ),
  );
  placedCommand(command, "put <name>", "create a role, or replace it; what is left out gets its default")
    .requiredOption("--scope <scope>", "read, operate or admin")
    .option("--group <group...>", groupAbout)
    .option("--subject <subject...>", "a person, as the provider names them (`sub`)")
    .option("--issuer <url>", "only for persons of this provider")
    .option("--position <number>", "roles count in ascending order; default 100")
    .option("--hosts <patterns>", "device hosts they may reach: names, wildcards, CIDR; comma-separated")
    .option("--select <selector>", "inventory devices that they may reach, in addition to those hosts")
    .option("--credentials <patterns>", credentialsAbout)
    .option("--rights <rights>", rightsAbout)
    .option("--recipes <names>", recipesAbout)
    .action((name: string, flags: PutFlags, command: Command) =>
      withDirectory(
        command,
        flags,
        async ({ putRole }, terminal) => {
          const role = await putRole(name, bodyOf(flags));
          terminal.note(`The role "${name}" is set. ${limitsInWords(role).join(" ")}`);
        },
        true,
      ),
    );
  withConfirmation(placedCommand(command, "remove <name>", "remove a role, after confirmation")).action(
    (name: string, flags: PlaceFlags & RemovalFlags, command: Command) =>
      withDirectory(command, flags, async ({ removeRole }, terminal) => {
        await confirmRemoval(name, flags, terminal);
        await removeRole(name);
        terminal.note(`${name} is removed.`);
      }),
  );
  placedCommand(command, "preview", "which role would count for somebody, why, and what it allows")
    .option("--person <name>", "somebody who has signed in")
    .option("--group <group...>", groupAbout)
    .option("--subject <subject>", "as the provider names the person (`sub`)")
    .option("--issuer <url>", "the provider")
    .option("--json", "as JSON")
    .action((flags: PreviewFlags, command: Command) =>
      withDirectory(command, flags, async ({ preview }, terminal) => {
        const { person, group: groups, subject, issuer } = flags;
        await print(await preview({ person, groups, subject, issuer }), flags, terminal);
      }),
    );
}

function bodyOf(flags: PutFlags): object {
  const { scope, group: groups, subject: subjects, issuer, position, credentials, rights, recipes } = flags;
  return {
    ...{ scope, groups, subjects, issuer, hosts: hostsOf(flags) },
    ...(position === undefined ? {} : { position: Number(position) }),
    ...(credentials === undefined ? {} : { credentials: listOf(credentials) }),
    ...(rights === undefined ? {} : { rights: listOf(rights) }),
    ...(recipes === undefined ? {} : { recipes: listOf(recipes) }),
  };
}

async function print(preview: RolePreview, { json }: PreviewFlags, terminal: Terminal): Promise<void> {
  if (json === true) return terminal.write(jsonLine(preview));
  const { role, because, others } = preview;
  const facts: [string, string][] = [
    ["role", role ?? "none"],
    ["because", because ?? "no role names them"],
    ["may", limitsInWords(preview).join(" ")],
    ["others", others.join(", ")],
  ];
  return terminal.write(factsText(facts));
}
