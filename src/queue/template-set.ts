/** How a template set is asked for one of its templates. */

/** Without a template, the set picks one by platform and command. */
export function templateSetArgs(
  args: Record<string, unknown>,
  field: string | undefined,
  platform: string,
  command: string,
): Record<string, unknown> {
  return { ...(field === undefined ? {} : { [field]: platform }), command, ...args };
}
