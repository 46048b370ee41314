CREATE TABLE `config_devices` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`shown` text NOT NULL,
	`host` text NOT NULL,
	`group_name` text,
	`platform` text,
	`taken_at` integer,
	`failed_at` integer,
	`error_type` text,
	`unsaved` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `config_devices_name` ON `config_devices` (`name`);--> statement-breakpoint
CREATE TABLE `config_texts` (
	`id` text PRIMARY KEY NOT NULL,
	`device` integer NOT NULL,
	`part` text NOT NULL,
	`base` text,
	`body` blob NOT NULL,
	`secrets` blob
);
--> statement-breakpoint
CREATE INDEX `config_texts_base` ON `config_texts` (`base`) WHERE base is not null;--> statement-breakpoint
CREATE INDEX `config_texts_device` ON `config_texts` (`device`,`part`);--> statement-breakpoint
CREATE TABLE `config_versions` (
	`n` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`device` integer NOT NULL,
	`part` text NOT NULL,
	`version` integer NOT NULL,
	`state` text NOT NULL,
	`reason` text,
	`taken_at` integer NOT NULL,
	`seen_at` integer NOT NULL,
	`source` text NOT NULL,
	`job_id` text,
	`origin` text,
	`cause_job_id` text,
	`who` text,
	`by_on_device` text,
	`note` text,
	`text_id` text NOT NULL,
	`compare` text NOT NULL,
	`lines` integer NOT NULL,
	`bytes` integer NOT NULL,
	`added` integer NOT NULL,
	`removed` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `config_versions_device` ON `config_versions` (`device`,`part`,`version`);--> statement-breakpoint
CREATE INDEX `config_versions_time` ON `config_versions` (`device`,`part`,`taken_at`,`n`);--> statement-breakpoint
CREATE INDEX `config_versions_good` ON `config_versions` (`device`,`part`,`taken_at`,`n`) WHERE state = 'good';--> statement-breakpoint
CREATE UNIQUE INDEX `config_versions_origin` ON `config_versions` (`device`,`part`,`origin`) WHERE origin is not null;--> statement-breakpoint
CREATE INDEX `config_versions_job` ON `config_versions` (`job_id`) WHERE job_id is not null;--> statement-breakpoint
CREATE INDEX `config_versions_text` ON `config_versions` (`text_id`);--> statement-breakpoint
CREATE INDEX `config_versions_suspect` ON `config_versions` (`n`) WHERE state = 'suspect';--> statement-breakpoint
CREATE INDEX `config_versions_seen` ON `config_versions` (`seen_at`);--> statement-breakpoint
CREATE TABLE `config_marks` (
	`id` text PRIMARY KEY NOT NULL,
	`mark` blob NOT NULL
);
--> statement-breakpoint
CREATE TABLE `config_due` (
	`name` text PRIMARY KEY NOT NULL,
	`due_t` integer NOT NULL,
	`caller` text NOT NULL,
	`source` text NOT NULL,
	`cause_job_id` text,
	`who` text,
	`note` text,
	`tries` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `config_due_t` ON `config_due` (`due_t`);
