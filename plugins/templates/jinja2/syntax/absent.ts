/** Ansible filters and functions that this engine lacks, with the reason, for error messages. */
import { byName } from "./names.ts";

const FILTERS = byName({
  "password hashes are not made in templates": "password_hash type5_pw hash_salt comp_type5 to_uuid",
  "templates reach no files of the host": "fileglob realpath expanduser expandvars relpath",
  "there is no vault here": "vault unvault",
  "parse with the engines textfsm or ttp instead": "parse_cli parse_cli_textfsm parse_xml",
});

const FUNCTIONS = byName({
  "lookups run on Ansible's control node; give the value in the context instead": "lookup query q",
});

/** A sentence to append to "no such filter"; empty if there is no reason to give. */
export function whyAbsent(filter: string): string {
  return reason(FILTERS.get(filter.replace(/^[a-z_]+\.[a-z_]+\./, "")));
}

/** The same for functions. */
export function whyNoFunction(name: string): string {
  return reason(FUNCTIONS.get(name));
}

function reason(why: string | undefined): string {
  return why === undefined ? "" : ` It is left out: ${why}.`;
}
