DROP TABLE `drift_lines`;--> statement-breakpoint
CREATE TABLE `drift_texts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`intent` text NOT NULL,
	`section` text NOT NULL,
	`kind` text NOT NULL,
	`line` text NOT NULL,
	`devices` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `drift_texts_line` ON `drift_texts` (`intent`,`section`,`kind`,`line`);--> statement-breakpoint
CREATE INDEX `drift_texts_devices` ON `drift_texts` (`devices` DESC,`id`);--> statement-breakpoint
CREATE INDEX `drift_texts_none` ON `drift_texts` (`id`) WHERE devices <= 0;--> statement-breakpoint
CREATE TABLE `drift_lines` (
	`text` integer NOT NULL,
	`device` text NOT NULL,
	`intent` text NOT NULL,
	PRIMARY KEY(`text`, `device`)
);
--> statement-breakpoint
CREATE INDEX `drift_lines_device` ON `drift_lines` (`device`,`intent`);--> statement-breakpoint
INSERT INTO `drift_due` (`device`, `mark`) SELECT DISTINCT `device`, 1 FROM `drift_results` WHERE true
ON CONFLICT (`device`) DO UPDATE SET `mark` = `mark` + 1, `taken_t` = 0;
