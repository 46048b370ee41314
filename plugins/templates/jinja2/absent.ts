/** What Ansible has and this engine does not, with the reason, so that an error can say it. */

const HASHES = "passwords and hashes are not made in templates";
const FILES = "templates reach no files of the host";

const FILTERS: ReadonlyMap<string, string> = new Map([
  ...["hash", "md5", "sha1", "checksum", "password_hash", "type5_pw", "hash_salt", "comp_type5"].map(
    (name) => [name, HASHES] as const,
  ),
  ...["fileglob", "realpath", "expanduser", "expandvars", "relpath"].map((name) => [name, FILES] as const),
  ...["vault", "unvault"].map((name) => [name, "there is no vault here"] as const),
  ...["parse_cli", "parse_cli_textfsm", "parse_xml"].map(
    (name) => [name, "parse with the engines textfsm or ttp instead"] as const,
  ),
  ["to_uuid", HASHES],
  ["json_query", "select with selectattr, map and extract instead"],
]);

const FUNCTIONS: ReadonlyMap<string, string> = new Map(
  ["lookup", "query", "q"].map((name) => [
    name,
    "lookups run on Ansible's control node; give the value in the context instead",
  ]),
);

/** A sentence to append to "no such filter"; empty where there is nothing to say. */
export function whyAbsent(filter: string): string {
  return reason(FILTERS.get(filter.replace(/^[a-z_]+\.[a-z_]+\./, "")));
}

/** The same for a function that is called. */
export function whyNoFunction(name: string): string {
  return reason(FUNCTIONS.get(name));
}

function reason(why: string | undefined): string {
  return why === undefined ? "" : ` It is left out: ${why}.`;
}
