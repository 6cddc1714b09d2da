// What the libraries export; everything else is hidden.

#pragma once

#define LEADERELECTION_EXPORT __attribute__((visibility("default")))
