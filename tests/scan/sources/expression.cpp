#include <cctype>
#include <stdexcept>
#include <string>

class Parser {
public:
    explicit Parser(const std::string &text) : text_(text) {}

    double parse() {
        double value = sum();
        if (at_ != text_.size()) throw std::runtime_error("something follows the expression");
        return value;
    }

private:
    double sum() {
        double value = product();
        while (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) {
            char op = text_[at_++];
            double right = product();
            value = op == '+' ? value + right : value - right;
        }
        return value;
    }

    double product() {
        double value = atom();
        while (at_ < text_.size() && (text_[at_] == '*' || text_[at_] == '/')) {
            char op = text_[at_++];
            double right = atom();
            if (op == '/' && right == 0) throw std::domain_error("division by zero");
            value = op == '*' ? value * right : value / right;
        }
        return value;
    }

    double atom() {
        if (at_ < text_.size() && text_[at_] == '(') {
            ++at_;
            double value = sum();
            ++at_;
            return value;
        }
        double value = 0;
        while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) {
            value = 10 * value + (text_[at_++] - '0');
        }
        return value;
    }

    std::string text_;
    std::size_t at_ = 0;
};

double evaluate(const std::string &text) { return Parser(text).parse(); }
