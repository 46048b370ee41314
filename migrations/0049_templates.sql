CREATE TABLE `templates` (
	`name` text NOT NULL,
	`version` integer NOT NULL,
	`changed_at` integer NOT NULL,
	`who` text NOT NULL,
	`listed` blob,
	`document` blob NOT NULL,
	PRIMARY KEY(`name`, `version`)
);
--> statement-breakpoint
ALTER TABLE `recipes` ADD `listed` blob;
