/** Paths of newer versions of the API, as the paths that are served: `/jobs/{id}` is `/job?id={id}`. */

/** With `{name}`, the parameter that the last step becomes. */
export const aliases: readonly { path: string; is: string; parameter?: string }[] = [
  { path: "/device/exec", is: "/device/execute" },
  { path: "/device/test", is: "/device/test-connection" },
  { path: "/jobs", is: "/job" },
  { path: "/jobs/{id}", is: "/job", parameter: "id" },
  { path: "/workers", is: "/worker" },
  { path: "/workers/{name}", is: "/worker", parameter: "name" },
];

const whole = new Map(aliases.filter(({ parameter }) => !parameter).map(({ path, is }) => [path, is]));
const stepped = aliases.flatMap(({ path, is, parameter }) =>
  parameter === undefined ? [] : [{ stem: path.slice(0, path.lastIndexOf("/") + 1), is, parameter }],
);

export function withoutAlias(url: URL): URL {
  const is = whole.get(url.pathname);
  if (is !== undefined) return changed(url, is);
  for (const { stem, is, parameter } of stepped) {
    const step = url.pathname.startsWith(stem) ? url.pathname.slice(stem.length) : "";
    if (step !== "" && !step.includes("/")) return changed(url, is, [parameter, decoded(step)]);
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
