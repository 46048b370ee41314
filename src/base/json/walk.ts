/** Visits the members of large values without copies of them. */

/**
 * Whether a member of an object or list is such a one. Makes no copy of them: `Object.entries` of a list of 400,000 takes
 * a hundred megabytes. The name is undefined in a list.
 */
export function someMember(value: object, is: (member: unknown, name?: string) => boolean): boolean {
  if (Array.isArray(value)) return value.some((item: unknown) => is(item));
  for (const name in value) {
    if (Object.hasOwn(value, name) && is(Reflect.get(value, name), name)) return true;
  }
  return false;
}

/** Visits each member, as `someMember` does. */
export function eachMember(value: object, visit: (member: unknown, name?: string) => void): void {
  someMember(value, (member, name) => {
    visit(member, name);
    return false;
  });
}
