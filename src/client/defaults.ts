/** Defaults of devices and templates: the only place in the client that names drivers and engines. */
export const defaultDriver = "netmiko";

/** Detects the platform on the device. */
export const defaultDeviceType = "autodetect";

/** Renders templates whose file name says nothing of an engine. */
export const defaultEngine = "jinja2";

/** Engines by the extension of a template file. */
export const enginesByExtension: Readonly<Record<string, string>> = {
  j2: defaultEngine,
  jinja: defaultEngine,
  jinja2: defaultEngine,
  eta: "eta",
};
