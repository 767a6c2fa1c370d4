/* Answers to questions about a run. */
#ifndef DCS_LAB_ANSWERS_H
#define DCS_LAB_ANSWERS_H

#include "harness/labs/check.h"

/* Holds FOLDER/answers.csv (question, answer) against the run that labs/N/questions.csv names,
 * whose winners.csv and thresholds.csv are built in. A finding a question. DCS_IO: there is no such
 * file; DCS_INPUT: it is no table. */
dcs_status dcs_check_answers(const dcs_lab *lab, const char *folder, dcs_lab_findings *findings);

#endif
