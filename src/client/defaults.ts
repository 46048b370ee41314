/** Defaults of devices and templates: the only place in the client that names plugins. */
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

/** Formats of inventory files that every service has. */
export const usualImportFormats = [
  "csv",
  "yaml",
  "json",
  "nornir",
  "ansible",
  "oxidized",
  "netpulse",
] as const;
export const usualExportFormats = ["csv", "yaml", "json", "nornir", "ansible", "oxidized"] as const;

/** Of a file that is named after its format. */
export const formatsByExtension: Readonly<Record<string, string>> = {
  ".csv": "csv",
  ".yaml": "yaml",
  ".yml": "yaml",
  ".json": "json",
  ".ini": "ansible",
  ".db": "oxidized",
};

/** The format whose file has files of variables beside it. */
export const formatWithVariables = "ansible";
