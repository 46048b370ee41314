/** `patchbay person`: who has signed in, what each may do; blocks and forgets them. */
import type { Command } from "commander";
import { limitsInWords, type PersonRecord } from "../../../api/access/person.ts";
import { factsText } from "../../../client/output/progress.ts";
import { jsonLine } from "../../../client/output/table.ts";
import type { Terminal } from "../../../client/output/terminal.ts";
import { clockTime } from "../jobs/jobs.ts";
import { type Columns, type FormFlags, printList, withForms } from "../parts/lists.ts";
import { type PlaceFlags, placedCommand, withDirectory } from "../parts/persons.ts";
import { confirmRemoval, type RemovalFlags, withConfirmation } from "../parts/removal.ts";

const columns: Columns<PersonRecord> = {
  name: ({ name }) => name,
  state: stateText,
  role: ({ role }) => role ?? "",
  scope: ({ scope }) => scope ?? "",
  hosts: ({ role, hosts }) => (role === null ? "" : hosts.join(" ") || "all"),
  rights: ({ rights }) => rights.join(" "),
  "last sign-in": ({ signed_in_at }) => clockTime(signed_in_at),
  email: ({ email }) => email ?? "",
};

export function definePerson(parent: Command): void {
  const command = parent.command("person").description("persons who have signed in");
  withForms(placedCommand(command, "list", "list persons with what each may do")).action(
    (flags: PlaceFlags & FormFlags, command: Command) =>
      withDirectory(command, flags, async ({ persons }, terminal) =>
        printList(await persons(), columns, flags, terminal),
      ),
  );
  placedCommand(command, "show <name>", "show a person, by name or id")
    .option("--json", "as JSON")
    .action((name: string, flags: PlaceFlags & { readonly json?: boolean }, command: Command) =>
      withDirectory(command, flags, async ({ person }, terminal) =>
        print(await person(name), flags, terminal),
      ),
    );
  for (const blocked of [true, false]) {
    const about = blocked ? "end somebody's sessions and refuse their keys" : "let somebody in again";
    placedCommand(command, `${blocked ? "block" : "unblock"} <name>`, about).action(
      (name: string, flags: PlaceFlags, command: Command) =>
        withDirectory(command, flags, async ({ block }, terminal) => {
          const person = await block(name, blocked);
          terminal.note(`${person.name}: ${stateText(person)}.`);
        }),
    );
  }
  withConfirmation(
    placedCommand(
      command,
      "forget <name>",
      "replace somebody's name by a pseudonym for good, after confirmation",
    ),
  ).action((name: string, flags: PlaceFlags & RemovalFlags, command: Command) =>
    withDirectory(command, flags, async ({ forget }, terminal) => {
      await confirmRemoval(name, flags, terminal);
      terminal.note(
        `${name} is ${await forget(name)} from now on; earlier entries follow in the background.`,
      );
    }),
  );
}

function stateText({ state }: Pick<PersonRecord, "state">): string {
  return state.replace("_", " ");
}

async function print(
  person: PersonRecord,
  { json }: { readonly json?: boolean },
  terminal: Terminal,
): Promise<void> {
  if (json === true) return terminal.write(jsonLine(person));
  const facts: [string, string][] = [
    ["name", person.name],
    ["id", person.id],
    ["state", stateText(person)],
    ["role", person.role ?? "none"],
    ["may", person.role === null ? "" : limitsInWords(person).join(" ")],
    ["email", person.email ?? ""],
    ["provider", person.issuer],
    ["subject", person.subject],
    ["groups", person.groups.join(", ")],
    ["last sign-in", clockTime(person.signed_in_at)],
    ["blocked", clockTime(person.blocked_at)],
  ];
  return terminal.write(factsText(facts));
}
