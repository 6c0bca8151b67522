#pragma once

#include "ui/text/plain_text.h" // toQt, fromQt
