ALTER TABLE `changes` ADD `rehearsal` text;--> statement-breakpoint
CREATE TABLE `change_rehearsals` (
	`change_id` text NOT NULL,
	`device` text NOT NULL,
	`job_id` text NOT NULL,
	`grades` text NOT NULL,
	`refusals` integer NOT NULL,
	`version` integer,
	`at` integer NOT NULL,
	PRIMARY KEY(`change_id`, `device`)
);
