/** Aliases for paths of newer API versions: `/jobs/{id}` is served as `/job?id={id}`. */

export interface Alias {
  readonly path: string;
  readonly is: string;
  /** The query parameter that the last path segment becomes. */
  readonly parameter?: string;
}

/** Plural names of newer versions. */
const plurals: Readonly<Record<string, string>> = {
  "/job": "/jobs",
  "/bulk": "/bulks",
  "/detached-task": "/detached-tasks",
};

/** Routes below them, as listed in the API description; repeated here so that a start need not load that. */
const below: readonly string[] = [
  "/job",
  "/job/export",
  "/job/release",
  "/job/{name}/events",
  "/job/{name}/retry",
  "/job/{name}/sent",
  "/bulk",
  "/bulk/{name}",
  "/bulk/{name}/events",
  "/bulk/{name}/export",
  "/bulk/{name}/results",
  "/bulk/{name}/retry",
  "/detached-task",
  "/detached-task/{name}",
];

const renamed: readonly Alias[] = [
  { path: "/device/exec", is: "/device/execute" },
  { path: "/device/test", is: "/device/test-connection" },
  { path: "/jobs/{id}", is: "/job", parameter: "id" },
  { path: "/workers", is: "/worker" },
  { path: "/workers/{name}", is: "/worker", parameter: "name" },
];

export const aliases: readonly Alias[] = [
  ...renamed,
  ...below.flatMap((is) =>
    Object.entries(plurals)
      .filter(([singular]) => is === singular || is.startsWith(`${singular}/`))
      .map(([singular, plural]) => ({ path: `${plural}${is.slice(singular.length)}`, is })),
  ),
];

const exactAliases = new Map(
  aliases.filter(({ path }) => !path.includes("{")).map(({ path, is }): [string, string] => [path, is]),
);
const patterns = aliases
  .filter(({ path }) => path.includes("{"))
  .map((alias) => ({ ...alias, pattern: new RegExp(`^${alias.path.replace(/\{\w+\}/, "([^/]+)")}$`) }));
const begins = new Set(aliases.map(({ path }) => path.split("/")[1]));

/** Oxidized writes the format of an answer at the end of a path. */
const withFormat = /^(\/oxidized\/(?:nodes|nodes\/conf_search|reload|node\/.+))\.(json|text)$/;

export function withoutAlias(url: URL): URL {
  const [, path, format] = withFormat.exec(url.pathname) ?? [];
  if (path !== undefined && format !== undefined) {
    const next = changed(url, path);
    next.searchParams.set("format", format);
    return next;
  }
  if (!begins.has(url.pathname.split("/", 2)[1])) return url;
  const is = exactAliases.get(url.pathname);
  if (is !== undefined) return changed(url, is);
  for (const { pattern, is, parameter } of patterns) {
    const step = pattern.exec(url.pathname)?.[1];
    if (step === undefined) continue;
    // Kept encoded: it is decoded when the query is parsed.
    if (parameter === undefined)
      return changed(
        url,
        is.replace(/\{\w+\}/, () => step),
      );
    return changed(url, is, [parameter, decoded(step)]);
  }
  return url;
}

function changed(url: URL, path: string, parameter?: [name: string, value: string]): URL {
  const next = new URL(url);
  next.pathname = path;
  if (parameter) next.searchParams.append(...parameter);
  return next;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
